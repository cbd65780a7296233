// The play page: draws what the server sends, and sends what is clicked. No build step, no library.
// The server alone knows the rules; here a card has an id, a place and the action that a click is.

const SVG = "http://www.w3.org/2000/svg";
const KEY = "parlour-session";
const SPEEDS = { "as fast as it can": 0, "4 moves a second": 250, "a move a second": 1000, "slowly": 3000 };
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const DRAG = 8; // pixels from which a press is a drag
const MARGIN = 14;
const SHOWN = 8; // actions of an agent's advice

const PAGE = `
<header><h1>Parlour</h1>
<form data-part="choose" aria-label="New game">
<label>Game <select name="game"></select></label>
<label>Variant <select name="variant"></select></label>
<label>Deal <input name="deal" inputmode="numeric" pattern="[0-9]{1,15}" size="7" placeholder="any"></label>
<span data-part="several" hidden><label>Seat <input name="seat" type="number" min="0" max="15" value="0"></label>
<label>Opponents <input name="opponents" placeholder="greedy and others"></label></span>
<button>New game</button>
<details><summary>Options</summary><div data-part="options"></div></details>
</form></header>
<main>
<section class="table" aria-label="Table">
<p data-part="facts" class="facts"></p>
<p data-part="notice" class="notice" role="status"></p>
<p data-part="said" class="said" aria-live="polite"></p>
<svg data-part="svg" role="group" aria-label="Cards"></svg>
<div data-part="actions" class="row" role="group" aria-label="Actions"></div>
<div class="row"><button data-do="take_back">Take back</button><button data-do="restart">Restart</button>
<button data-do="next_hand">Next hand</button></div>
<table data-part="seats" hidden></table>
</section>
<aside aria-label="Agent"><h2>Agent</h2>
<div class="row"><label>Agent <select data-part="agent"></select></label><button data-do="advise">Advise</button></div>
<div class="row"><label>Speed <select data-part="speed"></select></label><button data-do="auto">Play on</button></div>
<div data-part="advice"></div>
<p class="help">Click a card, then its partner or its place; or drag. Keys: arrows go from card to card, Enter
chooses, Escape lets go, U takes back.</p></aside>
</main>`;

const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
const draw = (name, attributes, text = "") => {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  return node;
};
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;
const short = (value) => (typeof value === "number" ? String(Number(value.toPrecision(3))) : value ?? "–");

export class Table {
  // `send(message)` hands a message on; `show(message)` is called with each answer.
  constructor(root, art, send) {
    root.innerHTML = PAGE;
    this.root = root; this.art = art; this.send = send;
    this.parts = {};
    for (const node of root.querySelectorAll("[data-part]")) this.parts[node.dataset.part] = node;
    this.nodes = new Map(); this.view = null; this.focused = null; this.at = null; this.timer = null;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => { this.nodes.clear(); this.parts.svg.replaceChildren(); this.drawAll(); });
    for (const [text, ms] of Object.entries(SPEEDS)) this.parts.speed.append(make("option", { value: ms }, text));
    this.parts.speed.value = 250;
    this.listen();
    setInterval(() => this.writeFacts(), 1000);
  }

  get theme() { return this.art[this.dark.matches ? "dark" : "light"]; }

  // ---- what comes from the server ----

  show(message) {
    if (message.kind === "games") this.fillGames(message.games);
    else if (message.kind === "view") this.showView(message);
    else if (message.kind === "advice") this.showAdvice(message);
    else { this.stop(); this.say(message.text); }
  }

  showView(message) {
    if (this.view && message.session === this.view.session && message.number < this.view.number) return;
    const before = this.view;
    this.view = message; this.since = Date.now();
    if (!message.play) { this.startChosen(); return; }
    const isNew = !before || before.number !== message.number;
    if (isNew) this.parts.advice.replaceChildren();
    this.drawAll();
    if (isNew) this.announce(before);
    if (message.play.over) this.stop();
    if (this.auto && isNew) this.timer = setTimeout(() => this.send({ do: "agent_move", agent: this.parts.agent.value }), this.auto.ms);
  }

  announce(before) {
    const play = this.view.play, old = before?.play;
    const up = (scene) => new Map(scene.items.filter((item) => item.card).map((item) => [item.card, item.label]));
    const lines = [...(play.said ?? [])];
    if (!old || old.source !== play.source || before.game !== this.view.game) lines.push(`${play.rules}, ${play.source}`);
    else {
      const was = up(old.scene), now = up(play.scene);
      const came = [...now].filter(([card]) => !was.has(card)).map(([, label]) => label);
      const left = [...was].filter(([card]) => !now.has(card)).map(([, label]) => label);
      if (came.length) lines.push(`turned up: ${came.join(", ")}`);
      if (left.length) lines.push(`gone: ${left.join(", ")}`);
    }
    if (play.over) lines.push(play.over);
    if (play.own_best) lines.push(play.own_best);
    if (lines.length) this.say(lines.join(". "));
  }

  say(text) { this.parts.said.textContent = text; }

  // ---- choosing a game ----

  fillGames(games) {
    this.games = new Map(games.map((game) => [game.name, game]));
    const { game, variant } = this.parts.choose.elements;
    const kept = [game.value, variant.value];
    game.replaceChildren(...games.map((one) => make("option", { value: one.name }, one.title)));
    if (kept[0]) game.value = kept[0];
    this.fillVariants(kept[1]);
  }

  fillVariants(kept) {
    const { game, variant } = this.parts.choose.elements, found = this.games.get(game.value);
    variant.replaceChildren(...found.variants.map((one) => make("option", { value: one.name, title: one.source }, one.name)));
    variant.value = found.variants.some((one) => one.name === kept) ? kept : found.default;
    this.parts.options.replaceChildren(...found.options.map((option) =>
      make("label", { title: `${option.doc} (${option.values})` }, option.name, make("input", { name: `option-${option.name}`, placeholder: "as named" }))));
    this.askSeats();
  }

  askSeats() {
    const { game, variant } = this.parts.choose.elements;
    const found = this.games.get(game.value).variants.find((one) => one.name === variant.value);
    this.parts.several.hidden = found.players < 2;
  }

  startChosen() {
    const fields = this.parts.choose.elements, options = {};
    for (const input of this.parts.options.querySelectorAll("input")) if (input.value.trim()) options[input.name.slice(7)] = input.value.trim();
    const several = !this.parts.several.hidden;
    this.stop();
    this.send({ do: "new", game: fields.game.value, variant: fields.variant.value, options,
      deal: fields.deal.value.trim() ? Number(fields.deal.value) : null,
      seat: several ? Number(fields.seat.value) : 0,
      opponents: several ? fields.opponents.value.split(/[\s,]+/).filter(Boolean) : [] });
  }

  // ---- drawing ----

  drawAll() {
    if (!this.view?.play) return;
    const { play } = this.view;
    this.drawScene(play);
    this.writeFacts();
    this.parts.notice.textContent = [play.notice, play.over && `${play.over}.`, play.over && play.best_possible].filter(Boolean).join(" ");
    this.fillActions(play);
    this.fillSeats(play);
    const chosen = this.parts.agent.value;
    this.parts.agent.replaceChildren(...this.view.agents.map((name) => make("option", { value: name }, name)));
    if (this.view.agents.includes(chosen)) this.parts.agent.value = chosen;
    const alone = !play.seats;
    for (const name of ["take_back", "restart"]) this.button(name).hidden = !alone;
    this.button("take_back").disabled = this.button("restart").disabled = !play.can_take_back;
    this.button("next_hand").hidden = alone;
    this.button("next_hand").disabled = !play.over;
    for (const name of ["advise", "auto"]) this.button(name).disabled = Boolean(play.over);
  }

  button(name) { return this.root.querySelector(`[data-do=${name}]`); }

  writeFacts() {
    const play = this.view?.play;
    if (!play) return;
    const facts = [play.rules, play.source];
    if (play.moves !== undefined) {
      const seconds = play.seconds + (play.over ? 0 : (Date.now() - this.since) / 1000);
      facts.push(`score ${play.score}`, `moves ${play.moves}`, clock(seconds));
    }
    if (play.taken_back) facts.push("moves taken back");
    if (play.best) facts.push(`your best: ${play.best}`);
    this.parts.facts.textContent = facts.join(" · ");
  }

  drawScene(play) {
    const { scene } = play, [stepX, stepY] = this.theme.step, [width, height] = this.theme.size;
    const svg = this.parts.svg, colours = this.theme.colours;
    const right = Math.max(scene.canvas[0] * stepX, ...scene.items.map((i) => i.x * stepX + width), 0);
    const game = `${this.view.game} ${play.rules}`; // the table grows, but does not shrink in a game
    if (this.sized !== game) { this.sized = game; this.bottom = 0; }
    this.bottom = Math.max(this.bottom, ...scene.items.map((i) => i.y * stepY + height), ...scene.texts.map((t) => t.y * stepY + 24));
    const bottom = this.bottom;
    svg.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${right + 2 * MARGIN} ${bottom + 2 * MARGIN}`);
    const held = svg.contains(document.activeElement);
    const still = scene.panels.map((p) => draw("rect", { x: p.x * stepX, y: p.y * stepY, width: p.width * stepX - 6, height: p.height * stepY - 8, rx: 10,
      fill: colours.panel, "fill-opacity": p.state === "out" ? 0.4 : 1, stroke: p.state === "turn" ? colours.turn : "none", "stroke-width": 3 }));
    const cards = scene.items.map((item) => this.drawItem(item, play));
    const words = scene.texts.map((t) => draw("text", { x: t.x * stepX, y: t.y * stepY + 15, "font-size": 17,
      fill: t.look === "faint" ? colours.faint : colours.words, "font-weight": t.look === "strong" ? "bold" : "normal" }, t.text));
    const chips = scene.chips.flatMap((c) => [draw("ellipse", { cx: c.x * stepX + 13, cy: c.y * stepY + 11, rx: 12, ry: 8, fill: colours.picked }),
      draw("text", { x: c.x * stepX + 31, y: c.y * stepY + 16, "font-size": 17, "font-weight": "bold", fill: colours.words }, String(c.amount))]);
    svg.replaceChildren(...still, ...cards, ...words, ...chips);
    this.nodes = new Map(cards.map((node) => [node.dataset.id, node]));
    this.keepFocus(held);
  }

  drawItem(item, play) {
    const node = this.nodes.get(item.id) ?? draw("g", { "data-id": item.id, class: "item" });
    const action = play.targets[item.id], has = action !== undefined;
    const picked = has && play.selected.includes(action), can = has && play.can.includes(action);
    const mark = picked ? "picked" : can ? "legal" : has || item.mark === "legal" ? "" : item.mark;
    const [stepX, stepY] = this.theme.step, [width, height] = this.theme.size, colours = this.theme.colours;
    const badge = item.count > 1 ? `<rect x="${width - 22}" y="-7" width="26" height="18" rx="9" fill="${colours.words}"/>` +
      `<text x="${width - 9}" y="6.5" font-size="13" font-weight="bold" text-anchor="middle" fill="${colours.felt}">${item.count}</text>` : "";
    const body = item.face === "up" ? this.theme.faces[item.card] : item.face === "down" ? this.theme.back : this.theme.empty;
    const look = body + this.theme.outlines[mark] + badge;
    if (node.look !== look) { node.innerHTML = look; node.look = look; }
    if (item.note && (!item.card || item.note.length > 3) && item.face !== "down")
      node.append(draw("text", { x: width / 2, y: item.note.length > 3 ? height + 14 : height / 2 + 5, "font-size": 15, "text-anchor": "middle", fill: colours.faint }, item.note)), node.look = null;
    node.setAttribute("transform", `translate(${item.x * stepX} ${item.y * stepY - (mark === "picked" ? 7 : 0)})`);
    const place = item.place ? `, ${item.place}` : "", many = item.count > 1 ? `, ${item.count} cards` : "";
    node.setAttribute("aria-label", `${item.label}${place}${many}${can ? ", can be played" : ""}`);
    node.setAttribute("role", has ? "button" : "img");
    node.classList.toggle("can", can || picked);
    if (has) { node.setAttribute("aria-pressed", picked); node.setAttribute("tabindex", "-1"); }
    else { node.removeAttribute("aria-pressed"); node.removeAttribute("tabindex"); }
    node.item = item;
    return node;
  }

  fillActions(play) {
    const found = new Map(play.scene.buttons.map((b) => [b.action, { text: b.text, legal: play.can.includes(b.action) }]));
    for (const one of play.buttons) if (!found.has(one.action)) found.set(one.action, { text: one.text, legal: true });
    const held = document.activeElement?.closest?.("[data-action]")?.dataset.action;
    this.parts.actions.replaceChildren(...[...found].map(([action, one]) => {
      const node = make("button", { "data-action": action }, one.text);
      node.disabled = !one.legal;
      return node;
    }));
    if (held === undefined) return;
    const same = this.parts.actions.querySelector(`[data-action="${held}"]:enabled`) ?? this.parts.actions.querySelector(":enabled");
    (same ?? (play.over ? this.button("next_hand") : null))?.focus();
  }

  fillSeats(play) {
    this.parts.seats.hidden = !play.seats;
    if (!play.seats) return;
    const row = (tag, ...cells) => make("tr", {}, ...cells.map((cell) => make(tag, {}, String(cell))));
    this.parts.seats.replaceChildren(make("caption", {}, `Chips, hand ${play.hand}`), row("th", "seat", "player", "this hand", "in all"),
      ...play.seats.map((seat, k) => row("td", k, seat.you ? "you" : seat.name, play.over ? seat.net : "–", seat.total)));
  }

  // ---- focus and keys ----

  get buttons() { return [...this.nodes.values()].filter((node) => node.hasAttribute("tabindex")); }

  keepFocus(held) {
    const all = this.buttons;
    if (!all.length) return;
    const [x, y] = this.at ?? [0, 0];
    const far = (node) => Math.hypot(node.item.x - x, node.item.y - y);
    const same = this.nodes.get(this.focused);
    const next = same?.hasAttribute("tabindex") ? same : all.reduce((best, node) => (far(node) < far(best) ? node : best));
    next.setAttribute("tabindex", "0");
    this.focused = next.dataset.id;
    if (held) next.focus({ preventScroll: true });
  }

  focusOn(node) {
    for (const one of this.buttons) one.setAttribute("tabindex", one === node ? "0" : "-1");
    this.focused = node.dataset.id; this.at = [node.item.x, node.item.y];
  }

  go([dx, dy]) {
    const from = this.nodes.get(this.focused)?.item;
    if (!from) return;
    const cost = ({ item }) => {
      const along = (item.x - from.x) * dx + (item.y - from.y) * dy;
      const aside = Math.abs((item.x - from.x) * dy) + Math.abs((item.y - from.y) * dx);
      return along > 0.05 ? along + 2 * aside : Infinity;
    };
    const best = this.buttons.reduce((found, node) => (cost(node) < cost(found) ? node : found), this.buttons[0]);
    if (cost(best) < Infinity) best.focus();
  }

  onKey(event) {
    if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const node = event.target.closest(".item");
    if (event.key === "u" || event.key === "U") this.button("take_back").click();
    else if (event.key === "Escape") this.view?.play?.selected.forEach((action) => this.send({ do: "click", action }));
    else if (node && ARROWS[event.key]) this.go(ARROWS[event.key]);
    else if (node && (event.key === "Enter" || event.key === " ")) this.click(node);
    else return;
    event.preventDefault();
  }

  // ---- clicks and drags ----

  click(node) {
    const action = this.view.play.targets[node.dataset.id];
    this.stop();
    if (action === undefined) this.say(`${node.item.label}: nothing can be done with it now`);
    else this.send({ do: "click", action });
  }

  drop(node, onto) {
    const { targets } = this.view.play, drops = node.item.drops[onto.item.place];
    const start = targets[node.dataset.id], action = targets[onto.dataset.id];
    this.stop();
    if (drops !== undefined) this.send({ do: "click", action: drops });
    else if (start !== undefined && action !== undefined) this.send({ do: "click", action, start });
    else this.say(`${node.item.label} cannot go there`);
  }

  press(event) {
    const node = event.target.closest(".item");
    if (!node || event.button) return;
    const begin = [event.clientX, event.clientY], scale = this.parts.svg.getScreenCTM().a, home = node.getAttribute("transform");
    let dragged = false;
    const move = (now) => {
      const [dx, dy] = [now.clientX - begin[0], now.clientY - begin[1]];
      dragged ||= Math.hypot(dx, dy) > DRAG;
      if (dragged) node.setAttribute("transform", `translate(${dx / scale} ${dy / scale}) ${home}`);
    };
    const end = (now) => {
      removeEventListener("pointermove", move); removeEventListener("pointerup", end); removeEventListener("pointercancel", end);
      node.setAttribute("transform", home);
      if (now.type === "pointercancel") return;
      if (!dragged) { this.click(node); return; }
      const under = document.elementsFromPoint(now.clientX, now.clientY).map((one) => one.closest(".item"));
      const onto = under.find((one) => one && one !== node);
      if (onto) this.drop(node, onto);
    };
    addEventListener("pointermove", move); addEventListener("pointerup", end); addEventListener("pointercancel", end);
  }

  listen() {
    const { choose, svg, actions } = this.parts;
    choose.elements.game.addEventListener("change", () => this.fillVariants());
    choose.elements.variant.addEventListener("change", () => this.askSeats());
    choose.addEventListener("submit", (event) => { event.preventDefault(); this.startChosen(); });
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("focusin", (event) => { const node = event.target.closest(".item"); if (node) this.focusOn(node); });
    actions.addEventListener("click", ({ target }) => { if (target.dataset.action) { this.stop(); this.send({ do: "click", action: Number(target.dataset.action) }); } });
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    for (const name of ["take_back", "restart", "next_hand"]) this.button(name).addEventListener("click", () => { this.stop(); this.send({ do: name }); });
    this.button("advise").addEventListener("click", () => this.send({ do: "advise", agent: this.parts.agent.value }));
    this.button("auto").addEventListener("click", () => (this.auto ? this.stop() : this.play()));
  }

  // ---- agents ----

  play() {
    this.auto = { ms: Number(this.parts.speed.value) };
    this.button("auto").textContent = "Stop";
    this.send({ do: "agent_move", agent: this.parts.agent.value });
  }

  stop() {
    clearTimeout(this.timer);
    this.auto = null;
    this.button("auto").textContent = "Play on";
  }

  showAdvice(advice) {
    if (advice.number !== this.view.number) return;
    const names = Object.keys(advice.actions[0]).filter((name) => !["action", "label", "word", "played"].includes(name));
    const by = (row) => row.probability ?? row.value ?? 0;
    const rows = [...advice.actions].sort((a, b) => b.played - a.played || by(b) - by(a)).slice(0, SHOWN);
    const best = rows[0];
    const line = (tag, cells) => make("tr", {}, ...cells.map((cell) => make(tag, {}, String(cell))));
    const facts = [advice.state_value !== undefined && `position worth ${short(advice.state_value)}`, advice.unit && `values: ${advice.unit}`, advice.sees_all && "sees the hidden cards"];
    this.parts.advice.replaceChildren(
      make("p", {}, [`${advice.agent} plays ${best.word || best.label}`, ...facts.filter(Boolean)].join("; ")),
      make("table", {}, line("th", ["action", ...names]), ...rows.map((row) => line("td", [row.word ? `${row.word} (${row.label})` : row.label, ...names.map((name) => short(row[name]))]))));
    this.say(`${advice.agent} plays ${best.word || best.label}`);
    for (const node of this.nodes.values()) node.classList.toggle("advised", this.view.play.targets[node.dataset.id] === best.action);
  }
}

// Opens the page's own connection, and again where it breaks off; the session lasts as long as the tab.
export async function open(root) {
  const art = await (await fetch("cards.json")).json();
  let socket = null, wait = 250;
  const table = new Table(root, art, (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    else table.say("the server does not answer; waiting for it");
  });
  const connect = () => {
    socket = new WebSocket(`ws://${location.host}/ws`);
    socket.onopen = () => { wait = 250; socket.send(JSON.stringify({ do: "hello", session: sessionStorage.getItem(KEY) })); };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.session) sessionStorage.setItem(KEY, message.session);
      table.show(message);
    };
    socket.onclose = () => { wait = Math.min(2 * wait, 5000); setTimeout(connect, wait); };
  };
  connect();
}

const root = document.getElementById("parlour");
if (root) open(root);
