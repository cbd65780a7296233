// Draws tables for the play page, for single-file replays, and for notebooks (anywidget). There is no
// build step and no library. Only the server or the notebook knows the rules; here, a card has an id, a
// place and the action of a click on it.

const SVG = "http://www.w3.org/2000/svg";
const SESSION = "parlour-session", LOOK = "parlour-look";
const SPEEDS = { "no delay": 0, "4 moves per second": 250, "2 moves per second": 500, "1 move per second": 1000, "1 move per 3 seconds": 3000 };
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const DRAG = 8; // minimum distance of a drag in pixels
const MARGIN = 14;
const FLIGHT = 170; // duration of a card's movement in milliseconds
const PATIENCE = 1500; // milliseconds without an answer before the page says that it is waiting
const WORKING = "Still working", COMPILING = `${WORKING}: compiling on the first use of a game or an agent, which takes a minute or two`;
const GONE = "The server does not respond. Reconnecting …";
const SHOWN = 8; // maximum number of actions in an agent's advice
const WORDS = 17, LEGIBLE = 12.5, MOST_GROWTH = 1.57; // font size; minimum font size in pixels; maximum enlargement, limited by the line spacing
const LONG_PAUSE = 3; // factor of the pause after a complete trick
const AFTER = { start: 1, middle: 0.5, end: 0 }; // fraction of a text's width to the right of its anchor
const CURVE = [320, 120, 8]; // width, height and margin of the chance curve

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
const line = (tag, ...cells) => make("tr", {}, ...cells.map((cell) => make(tag, {}, String(cell))));
const parts = (root) => Object.fromEntries([...root.querySelectorAll("[data-part]")].map((node) => [node.dataset.part, node]));
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;
const short = (value) => (typeof value === "number" ? String(Number(value.toPrecision(3))) : value ?? "–");
const asSentence = (text) => text && `${text[0].toUpperCase()}${text.slice(1)}.`;
const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

// ---- appearance: light or dark, two or four suit colors; saved in the browser ----

const look = { theme: "auto", four: false };
const watchers = new Set();

function setLook(changed) {
  Object.assign(look, changed);
  try { localStorage.setItem(LOOK, JSON.stringify(look)); } catch { /* unavailable for files and in private windows */ }
  applyLook();
}

function applyLook() {
  for (const root of document.querySelectorAll(".parlour")) root.dataset.theme = themeName();
  for (const redraw of watchers) redraw();
}

function startLook() {
  try { Object.assign(look, JSON.parse(localStorage.getItem(LOOK) ?? "{}")); } catch { /* keep the defaults */ }
  applyLook();
}

const themeName = () => (look.theme === "auto" ? (dark.matches ? "dark" : "light") : look.theme);
dark.addEventListener("change", applyLook);

function recolour(art, card) {
  const { inks, four_inks: own } = art.colours, suit = "cdhs".indexOf(card[1]);
  return look.four ? art.faces[card].replaceAll(inks[suit], own[suit]) : art.faces[card];
}

// ---- the board: a scene as SVG, with clicks, drags and arrow keys ----

export class Board {
  // Callbacks: `on.click(item, action)` and `on.drop(item, onto)`.
  constructor(svg, art, on = {}) {
    this.svg = svg; this.art = art; this.on = on;
    this.nodes = new Map(); this.focused = null; this.at = null; this.shown = null;
    watchers.add(() => { if (svg.isConnected) { this.nodes.clear(); svg.replaceChildren(); this.redraw(); } });
    new ResizeObserver(() => { if (this.shown && this.findGrowth() !== this.growth) this.redraw(); }).observe(svg);
    if (!on.click) return;
    svg.addEventListener("pointerdown", (event) => this.press(event));
    // Dragging a card by finger must not scroll; touch-action has no effect on parts of an SVG.
    svg.addEventListener("touchmove", (event) => { if (event.target.closest(".item[role=button]")) event.preventDefault(); }, { passive: false });
    svg.addEventListener("focusin", (event) => { const node = event.target.closest(".item"); if (node) this.focusOn(node); });
  }

  get theme() { return this.art[themeName()]; }

  // `game` identifies the game: its table may grow, but does not shrink. `targets` are actions by id. `trick` says
  // whether the last trick is on the table; null: as in the scene.
  show(scene, { game = "", targets = {}, selected = [], can = null, aim = null, trick = null } = {}) {
    const last = (trick ?? scene.trick?.shown) ? scene.trick : null;
    const whole = last ? { ...scene, items: [...scene.items, ...last.items], texts: [...scene.texts, last.text] } : scene;
    this.shown = { scene: whole, game, targets, selected, can, aim };
    this.redraw();
  }

  // The factor by which texts are enlarged, so that they stay legible on a small table.
  findGrowth() {
    const wide = this.svg.getBoundingClientRect().width;
    return wide ? Math.min(MOST_GROWTH, Math.max(1, (LEGIBLE * (this.right + 2 * MARGIN)) / (WORDS * wide))) : 1;
  }

  redraw() {
    if (!this.shown) return;
    const { scene, game } = this.shown, [stepX, stepY] = this.theme.step, { svg } = this;
    const [width, height] = this.theme.size, colours = this.theme.colours;
    const ends = scene.items.map((i) => [i.x * stepX + width * i.size, i.y * stepY + height * i.size + (i.note.length > 3 ? 16 : 0)]);
    ends.push(...scene.panels.map((p) => [(p.x + p.width) * stepX - 6, (p.y + p.height) * stepY - 8]));
    if (this.sized !== game) { this.sized = game; this.right = scene.canvas[0] * stepX - 6; this.bottom = 0; }
    this.growth = this.findGrowth();
    const size = WORDS * this.growth;
    ends.push(...scene.texts.map((t) => [t.x * stepX + t.text.length * 0.53 * size * AFTER[t.anchor], t.y * stepY + 5 + size]));
    this.right = Math.max(this.right, ...ends.map(([x]) => x));
    this.bottom = Math.max(this.bottom, ...ends.map(([, y]) => y));
    svg.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${this.right + 2 * MARGIN} ${this.bottom + 2 * MARGIN}`);
    svg.style.setProperty("--across", this.right + 2 * MARGIN);
    const held = svg.contains(document.activeElement);
    const panels = scene.panels.map((p) => draw("rect", { x: p.x * stepX, y: p.y * stepY, width: p.width * stepX - 6, height: p.height * stepY - 8, rx: 12,
      fill: colours.panel, "fill-opacity": p.state === "out" ? 0.4 : 1, stroke: p.state === "turn" ? colours.turn : "none", "stroke-width": 3 }));
    const cards = scene.items.map((item) => this.drawItem(item));
    const words = scene.texts.map((t) => draw("text", { x: t.x * stepX, y: t.y * stepY + size - 2, "font-size": size,
      fill: t.look === "faint" ? colours.faint : colours.words, "font-weight": t.look === "strong" ? "bold" : "normal", "text-anchor": t.anchor }, t.text));
    const chips = scene.chips.flatMap((c) => this.drawChips(c.x * stepX, c.y * stepY, c.amount, size));
    svg.replaceChildren(...panels, ...cards, ...words, ...chips);
    const before = this.nodes, starts = new Map([...before.values()].map((node) => [node.item.place, node.from]));
    this.nodes = new Map(cards.map((node) => [node.dataset.id, node]));
    for (const node of cards) {
      if (before.get(node.dataset.id) !== node) node.from = starts.get(node.item.origin) ?? node.to;
      this.fly(node);
    }
    this.keepFocus(held);
  }

  drawItem(item) {
    const { targets, selected, can, aim } = this.shown;
    const node = this.nodes.get(item.id) ?? draw("g", { "data-id": item.id, class: "item" });
    const action = targets[item.id], has = action !== undefined;
    const picked = has && selected.includes(action), legal = has && (can?.includes(action) ?? false);
    const mark = can === null ? item.mark : picked ? "picked" : legal ? "legal" : ["legal", "picked"].includes(item.mark) ? "" : item.mark;
    const [stepX, stepY] = this.theme.step;
    const drawn = this.drawBody(item, mark);
    if (node.drawn !== drawn) { node.innerHTML = drawn; node.drawn = drawn; }
    node.to = [item.x * stepX, item.y * stepY - (mark === "picked" ? 7 : 0), item.size];
    node.setAttribute("transform", `translate(${node.to[0]} ${node.to[1]}) scale(${item.size})`);
    const place = item.place ? `, ${item.place}` : "", many = item.count > 1 ? `, ${item.count} cards` : "";
    node.setAttribute("aria-label", `${item.label}${place}${many}${legal ? ", can be played" : can === null && mark === "picked" ? ", selected" : ""}`);
    node.setAttribute("role", has && this.on.click ? "button" : "img");
    node.classList.toggle("can", legal || picked);
    node.classList.toggle("advised", aim !== null && (has ? action : item.action) === aim);
    if (has && this.on.click) { node.setAttribute("aria-pressed", picked); node.setAttribute("tabindex", "-1"); }
    else { node.removeAttribute("aria-pressed"); node.removeAttribute("tabindex"); }
    node.item = item;
    return node;
  }

  drawBody(item, mark) {
    const { theme } = this, [width, height] = theme.size, { colours } = theme;
    const rect = (x, y, fill) => `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="7" ${fill}/>`;
    const edges = item.face === "empty" || item.count < 2 ? 0 : item.count < 8 ? 1 : 2, deep = 2 * edges + 1.5;
    const under = item.face === "empty" ? "" : rect(deep * 0.6, deep, `fill="${colours.shadow}" fill-opacity="0.16"`) +
      [4, 2].slice(2 - edges).map((k) => rect(k, k, `fill="${colours.face}" stroke="${colours.edge}"`)).join("");
    const face = item.face === "up" ? recolour(theme, item.card) : item.face === "down" ? theme.back : theme.empty;
    const wide = 12 + 8 * String(item.count).length;
    const badge = item.count > 1 ? `<rect x="${width + 3 - wide}" y="-7" width="${wide}" height="18" rx="9" fill="${colours.words}"/>` +
      `<text x="${width + 3 - wide / 2}" y="6.5" font-size="13" font-weight="bold" text-anchor="middle" fill="${colours.felt}">${item.count}</text>` : "";
    return under + face + theme.outlines[mark] + badge + this.drawNote(item);
  }

  drawNote({ note, face }) {
    const [width, height] = this.theme.size, { faint } = this.theme.colours;
    if (!note) return "";
    const words = note.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
    const [x, y, size] = note.length > 3 ? [width / 2, height + 14, 13] : face === "empty" ? [width / 2, height / 2 + 5, 16] : [width - 5, height - 5, 11];
    const end = note.length < 4 && face !== "empty";
    return `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${end ? "end" : "middle"}" fill="${end ? "#6b7680" : faint}">${words}</text>`;
  }

  drawChips(x, y, amount, size) {
    const { picked, face, words } = this.theme.colours;
    const discs = [15, 11, 7].map((up) => draw("ellipse", { cx: x + 13, cy: y + up, rx: 12, ry: 5, fill: picked, stroke: face, "stroke-width": 1.2 }));
    return [...discs, draw("text", { x: x + 31, y: y + size - 1, "font-size": size, "font-weight": "bold", fill: words }, String(amount))];
  }

  fly(node) {
    const [from, to] = [node.from, node.to];
    node.from = to;
    if (still.matches || from.every((value, k) => value === to[k])) return;
    const at = ([x, y, size]) => ({ transform: `translate(${x}px, ${y}px) scale(${size})` });
    node.animate([at(from), at(to)], { duration: FLIGHT, easing: "ease-out" });
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

  onKey(event) { // returns whether the board handled the key
    const node = event.target.closest(".item");
    if (node && ARROWS[event.key]) this.go(ARROWS[event.key]);
    else if (node && (event.key === "Enter" || event.key === " ")) this.on.click(node.item, this.shown.targets[node.dataset.id]);
    else return false;
    event.preventDefault();
    return true;
  }

  // ---- clicks and drags by mouse, pen or finger ----

  press(event) {
    const node = event.target.closest(".item");
    if (!node || event.button) return;
    const begin = [event.clientX, event.clientY], scale = this.svg.getScreenCTM().a, home = node.getAttribute("transform");
    let dragged = false;
    const move = (now) => {
      if (now.pointerId !== event.pointerId) return;
      const [dx, dy] = [now.clientX - begin[0], now.clientY - begin[1]];
      if (!dragged && Math.hypot(dx, dy) <= DRAG) return;
      dragged = true;
      node.classList.add("dragged");
      node.setAttribute("transform", `translate(${dx / scale} ${dy / scale}) ${home}`);
    };
    const end = (now) => {
      if (now.pointerId !== event.pointerId) return;
      for (const kind of ["pointermove", "pointerup", "pointercancel"]) removeEventListener(kind, kind === "pointermove" ? move : end);
      node.setAttribute("transform", home);
      node.classList.remove("dragged");
      if (now.type === "pointercancel") return;
      if (!dragged) { this.on.click(node.item, this.shown.targets[node.dataset.id]); return; }
      const under = document.elementsFromPoint(now.clientX, now.clientY).map((one) => one.closest(".item"));
      const onto = under.find((one) => one && one !== node);
      if (onto) this.on.drop(node.item, onto.item);
    };
    addEventListener("pointermove", move); addEventListener("pointerup", end); addEventListener("pointercancel", end);
  }

  aimAt(action) {
    this.shown.aim = action;
    for (const node of this.nodes.values()) node.classList.toggle("advised", this.shown.targets[node.dataset.id] === action);
  }
}

function fillActions(row, found, click) { // `found`: [action, text, legal]
  const held = document.activeElement?.closest?.("[data-action]")?.dataset.action;
  row.replaceChildren(...found.map(([action, text, legal]) => {
    const node = make("button", { type: "button", "data-action": action }, text);
    node.disabled = !legal;
    node.classList.toggle("bid", Number(text) > 0); // many bids are one row
    node.addEventListener("click", () => click(action));
    return node;
  }));
  if (held === undefined) return false;
  const same = row.querySelector(`[data-action="${held}"]:enabled`) ?? row.querySelector(":enabled");
  same?.focus();
  return !same;
}

// ---- pace: a page shows the actions of several seats one after another ----

class Pace {
  // `steps` is a list of functions that draw one step each and return whether to pause longer after it.
  constructor() { this.timer = null; this.steps = []; }

  get isRunning() { return this.steps.length > 0; }

  run(steps, ms) {
    clearTimeout(this.timer);
    this.steps = [...steps];
    if (ms && !still.matches) this.next(ms); else this.skip();
  }

  next(ms) {
    const isLong = this.steps.shift()();
    if (this.isRunning) this.timer = setTimeout(() => this.next(ms), isLong ? LONG_PAUSE * ms : ms);
  }

  later(work, ms) { // until the next run
    clearTimeout(this.timer);
    if (ms && !still.matches) this.timer = setTimeout(work, LONG_PAUSE * ms);
  }

  skip() { // shows the last step
    clearTimeout(this.timer);
    const last = this.steps.at(-1);
    this.steps = [];
    last?.();
  }
}

// ---- a replay: step by step, with the review of each decision ----

const REPLAY = `
<section class="table" aria-label="Replay">
<div data-part="head" class="facts"></div>
<p data-part="said" class="said" aria-live="polite"></p>
<div class="felt"><svg data-part="svg" role="group" aria-label="Cards"></svg></div>
<div class="row steps" role="group" aria-label="Steps">
<button type="button" data-go="first" title="First step (Home)" aria-label="First step">|◀</button>
<button type="button" data-go="back" title="Previous step (left arrow)" aria-label="Previous step">◀</button>
<button type="button" data-go="on" title="Next step (right arrow)" aria-label="Next step">▶</button>
<button type="button" data-go="last" title="Last step (End)" aria-label="Last step">▶|</button>
<button type="button" data-go="play" aria-label="Play the game">Play</button>
<input data-part="slide" type="range" min="0" value="0" aria-label="Step">
<button type="button" data-go="worst" title="Next decision with a loss (N)" hidden>Next loss</button>
<button type="button" data-go="close" hidden>Back to the table</button></div>
</section>
<aside aria-label="Review"><h2>Review</h2>
<p data-part="chance" class="big"></p>
<svg data-part="curve" class="curve" role="img" aria-label="Chance of winning over the game"></svg>
<p data-part="verdict" class="verdict"></p>
<div data-part="values" class="wide"></div>
<p data-part="judge" class="help"></p></aside>`;

export class Replay {
  // `data` is the result of replay_data (training). `review` may add a review later.
  constructor(root, art, data, close = null) {
    root.classList.add("parlour", "replay");
    root.innerHTML = `<main>${REPLAY}</main>`;
    this.root = root; this.data = data; this.parts = parts(root); this.at = 0; this.timer = null;
    this.board = new Board(this.parts.svg, art);
    this.parts.slide.max = data.actions.length;
    this.parts.slide.addEventListener("input", () => this.go(Number(this.parts.slide.value)));
    this.ways = {
      first: () => this.go(0), back: () => this.go(this.at - 1), on: () => this.go(this.at + 1),
      last: () => this.go(data.actions.length), play: () => this.play(), worst: () => this.go(this.nextLoss()), close,
    };
    for (const [name, way] of Object.entries(this.ways)) this.button(name).addEventListener("click", () => { if (name !== "play") this.stop(); way(); });
    this.button("close").hidden = !close;
    root.tabIndex = -1;
    root.addEventListener("keydown", (event) => this.onKey(event));
    this.parts.curve.addEventListener("click", (event) => this.goByCurve(event));
    watchers.add(() => { if (root.isConnected) this.drawCurve(); });
    const facts = data.headline.split(": ");
    this.parts.head.replaceChildren(...facts.flatMap((text) => [make("span", {}, text), " "]));
    this.review(data.review);
    applyLook();
    this.go(data.begin);
  }

  button(name) { return this.root.querySelector(`[data-go=${name}]`); }

  scene(number) {
    const scene = this.data.scenes[number];
    return { ...scene, items: scene.items.map((k) => this.data.items[k]) };
  }

  review(review) {
    this.judged = review;
    this.parts.judge.textContent = review ? review.error ?? `${review.headline}. Values: ${review.judge}.` : review === null ? "No review." : "Review in progress …";
    this.decisions = review?.decisions ?? [];
    this.button("worst").hidden = !this.decisions.some((one) => this.costs(one));
    this.parts.curve.toggleAttribute("hidden", !this.decisions.length);
    this.drawCurve();
    this.tell();
  }

  costs(one) {
    const taken = one.legal.find(({ action }) => action === one.action);
    return one.made_unwinnable || one.loss > Math.max(0.005, 2 * taken.error);
  }

  nextLoss() {
    const found = this.decisions.filter((one) => this.costs(one)).map((one) => one.step);
    return found.find((step) => step > this.at) ?? found[0] ?? this.at;
  }

  go(number) {
    const last = this.data.actions.length;
    this.at = Math.min(Math.max(number, 0), last);
    const next = this.data.played[this.at] ?? null;
    this.board.show(this.scene(this.at), { game: this.data.headline, aim: next });
    this.parts.slide.value = this.at;
    this.parts.slide.setAttribute("aria-valuetext", `${this.at} of ${last}`);
    this.parts.said.textContent = `${this.at} of ${last}` + (this.at < last ? ` · next: ${this.data.actions[this.at]}` : " · the end");
    for (const name of ["first", "back"]) this.button(name).disabled = !this.at;
    for (const name of ["on", "last"]) this.button(name).disabled = this.at === last;
    if (this.at === last) this.stop();
    this.drawCurve();
    this.tell();
  }

  text(value, sign = false) {
    if (value === null || value === undefined) return "–";
    const plus = sign && value >= 0 ? "+" : "";
    return this.judged.unit === "won" ? `${plus}${(100 * value).toFixed(1)} %` : plus + value.toFixed(2);
  }

  tell() { // describes the next decision or, at the end, the whole game
    const { chance, verdict, values } = this.parts, one = this.decisions.find(({ step }) => step === this.at);
    values.replaceChildren();
    verdict.className = "verdict";
    if (!this.decisions.length) { chance.textContent = verdict.textContent = ""; return; }
    if (this.at === this.data.actions.length) {
      const { first_chance: first, loss, unseen, luck, outcome } = this.judged.totals;
      chance.textContent = `${this.text(first)} → ${this.text(outcome)}`;
      verdict.textContent = `loss of decisions ${this.text(loss)}, effect of hidden information ${this.text(unseen)}, luck ${this.text(luck, true)}`;
      return;
    }
    chance.textContent = one ? `${this.judged.unit === "won" ? "Chance" : "Value"} ${this.text(one.chance)}` : "";
    if (!one) { verdict.textContent = this.data.played.length ? "no choice in this position" : ""; return; }
    const bad = this.costs(one);
    verdict.classList.add(bad ? "bad" : "good");
    verdict.textContent = one.made_unwinnable ? `“${one.text}” made the deal unwinnable; best was “${one.best_text}”`
      : bad ? `“${one.text}” lost ${this.text(one.loss)}; best was “${one.best_text}”` : `“${one.text}” was as good as any`;
    verdict.textContent += this.tellPoints(one);
    const rows = [...one.legal].sort((a, b) => (b.action === one.action) - (a.action === one.action) || b.value - a.value).slice(0, SHOWN);
    values.replaceChildren(make("table", {}, line("th", "action", "value", "±"), ...rows.map((row) => {
      const node = line("td", row.text, this.text(row.value), this.text(row.error));
      if (row.action === one.action) node.className = "played";
      return node;
    })));
  }

  tellPoints({ points_before: before, points_after: after }) { // games with partners: double-dummy points
    if ((before ?? null) === null || (after ?? null) === null) return "";
    const cost = Math.abs(before - after);
    return `; with all cards known, the bidder's side takes ${before}` + (cost ? `; this action lost ${cost} for the acting side` : "");
  }

  drawCurve() {
    const { curve } = this.parts, [wide, high, edge] = CURVE, last = Math.max(1, this.data.actions.length);
    const marks = this.decisions.map((one) => [one.step, one.chance, one]);
    if (!marks.length) { curve.replaceChildren(); return; }
    const outcome = this.judged.totals.outcome;
    const all = [...marks.map(([, value]) => value), outcome ?? marks[0][1]];
    const [low, top] = this.judged.unit === "won" ? [0, 1] : [Math.min(...all), Math.max(...all)];
    const x = (step) => edge + (step / last) * (wide - 2 * edge), y = (value) => high - edge - ((value - low) / (top - low || 1)) * (high - 2 * edge);
    const points = [...marks, ...(outcome === null ? [] : [[last, outcome]])].map(([step, value]) => `${x(step)},${y(value)}`);
    curve.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    curve.replaceChildren(
      ...[low, (low + top) / 2, top].map((value) => draw("path", { class: "grid", d: `M${edge} ${y(value)}H${wide - edge}` })),
      draw("path", { class: "now", d: `M${x(this.at)} ${edge}V${high - edge}` }),
      draw("polyline", { class: "chance", points: points.join(" ") }),
      ...marks.filter(([, , one]) => this.costs(one)).map(([step, value, one]) => {
        const dot = draw("circle", { class: "loss", cx: x(step), cy: y(value), r: 5 });
        dot.append(draw("title", {}, `${step + 1}: “${one.text}” lost ${this.text(one.loss)}`));
        return dot;
      }));
  }

  goByCurve(event) {
    const box = this.parts.curve.getBoundingClientRect(), [wide, , edge] = CURVE;
    const share = (((event.clientX - box.left) / box.width) * wide - edge) / (wide - 2 * edge);
    this.stop();
    this.go(Math.round(share * this.data.actions.length));
  }

  play() {
    if (this.timer) { this.stop(); return; }
    if (this.at === this.data.actions.length) this.go(0);
    this.button("play").textContent = "Stop";
    this.timer = setInterval(() => (this.root.isConnected ? this.go(this.at + 1) : this.stop()), 800);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.button("play").textContent = "Play";
  }

  onKey(event) {
    const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", n: "worst", N: "worst" };
    const way = keys[event.key];
    if (!way || event.target.closest("select") || event.ctrlKey || event.metaKey || event.altKey) return;
    this.stop();
    this.ways[way]();
    event.preventDefault();
  }
}

// ---- the play page ----

const PAGE = `
<header><h1><span aria-hidden="true">♠</span> Parlour</h1>
<form data-part="choose" aria-label="New game">
<label>Game <select name="game"></select></label>
<label>Variant <select name="variant"></select></label>
<label>Deal <input name="deal" inputmode="numeric" pattern="[0-9]{1,15}" size="7" placeholder="random"></label>
<span data-part="several" hidden><label>Seat <input name="seat" type="number" min="0" max="15" value="0"></label>
<label>Opponents <input name="opponents" placeholder="default agents"></label></span>
<button>New game</button>
<details><summary>Options</summary><div data-part="options"></div></details>
<details><summary>Appearance</summary><div class="row"><label>Colors <select data-part="theme"><option value="auto">system</option>
<option value="light">light</option><option value="dark">dark</option></select></label>
<label><input type="checkbox" data-part="four"> four-color deck</label></div></details>
<details data-part="recorded" hidden><summary>Replays</summary><div class="row recorded"><select data-part="replays" aria-label="Recorded game"></select>
<button type="button" data-do="replay">Open</button></div></details>
</form></header>
<main data-part="play">
<section class="table" aria-label="Table">
<div data-part="facts" class="facts"></div>
<div class="status"><p data-part="said" class="said" aria-live="polite"></p>
<p data-part="notice" class="notice" role="status"></p></div>
<div class="felt"><svg data-part="svg" role="group" aria-label="Cards"></svg>
<div data-part="actions" class="row centred" role="group" aria-label="Actions"></div></div>
<div class="row quiet"><button data-do="take_back">Take back</button><button data-do="restart">Restart</button>
<button data-do="last_trick" hidden>Last trick</button><button data-do="next_hand">Next hand</button><button data-do="review">Review this game</button></div>
<table data-part="seats" hidden></table>
</section>
<aside aria-label="Agent"><h2>Agent</h2>
<div class="row"><label>Agent <select data-part="agent"></select></label><button data-do="advise">Advise</button></div>
<div class="row"><label>Speed <select data-part="speed"></select></label><button data-do="auto">Play on</button></div>
<div data-part="advice" class="wide"></div>
<p data-part="help" class="help"></p></aside>
</main>
<div data-part="replay" hidden></div>`;

const HELP_ALONE = `Click a card, then its target (a card or a place), or drag it there. Keys: arrow keys move between cards,
Enter selects, Escape deselects, U takes back a move.`;
const HELP_AT_TABLES = `Click a card or a button. Keys: Tab moves between cards and buttons, arrow keys move between cards,
Enter selects.`;

export class Page {
  // `send(message)` sends a message to the server; `show(message)` is called with each answer.
  constructor(root, art, send) {
    root.classList.add("parlour");
    root.innerHTML = PAGE;
    this.root = root; this.art = art; this.send = send; this.parts = parts(root);
    this.view = null; this.timer = null;
    this.pace = new Pace(); this.trick = null;
    this.board = new Board(this.parts.svg, art, {
      click: (item, action) => this.click(item, action), drop: (item, onto) => this.drop(item, onto),
    });
    for (const [text, ms] of Object.entries(SPEEDS)) this.parts.speed.append(make("option", { value: ms }, text));
    this.parts.speed.value = 500;
    this.listen();
    startLook();
    this.parts.theme.value = look.theme; this.parts.four.checked = look.four;
    setInterval(() => this.writeFacts(), 1000);
  }

  // ---- messages from the server ----

  show(message) {
    if (!this.isLateJudgment(message)) this.stopWaiting();
    const shows = { games: "fillGames", view: "showView", advice: "showAdvice", replay: "showReplay", review: "showReview" };
    if (shows[message.kind]) this[shows[message.kind]](message);
    else { this.stop(); this.say(message.text); }
  }

  // The solver's judgment of the shown position is not the answer that the page waits for.
  isLateJudgment({ kind, session, number }) {
    const isShown = this.view && session === this.view.session && number === this.view.number;
    return kind === "view" && isShown && this.parts.said.textContent !== GONE;
  }

  showView(message) {
    if (this.view && message.session === this.view.session && message.number < this.view.number) return;
    const before = this.view;
    this.view = message; this.since = Date.now();
    if (!message.play) { this.startChosen(); return; }
    const isNew = !before || before.session !== message.session || before.number !== message.number;
    if (!isNew) { if (!this.pace.isRunning) this.drawAll(); return; }
    this.parts.advice.replaceChildren();
    this.trick = null;
    // A page that was just loaded shows only the current scene.
    const steps = before?.session === message.session ? message.play.steps ?? [] : [];
    for (const node of this.parts.actions.children) node.disabled = true;
    this.pace.run([...steps.map((step) => () => this.drawStep(step)), () => this.finishView(before)], this.speed);
  }

  drawStep({ scene, text }) {
    this.board.show(scene, { game: this.tableName });
    if (text) this.say(text);
    return Boolean(scene.trick?.shown);
  }

  finishView(before) {
    const { play } = this.view;
    this.drawAll();
    this.announce(before);
    if (play.over) this.stop();
    else if (play.scene.trick?.shown) this.pace.later(() => this.showTrick(false), this.speed);
    if (this.auto) this.timer = setTimeout(() => this.send({ do: "agent_move", agent: this.parts.agent.value }), this.auto.ms);
  }

  get speed() { return Number(this.parts.speed.value); }

  get tableName() { return `${this.view.game} ${this.view.play.rules}`; }

  // A click on the table or Escape shows the result of all steps.
  listenToSkip() {
    const skip = (event) => {
      if (!this.pace.isRunning || (event.key ?? "Escape") !== "Escape") return;
      event.stopPropagation();
      this.pace.skip();
    };
    this.parts.svg.addEventListener("pointerdown", skip, { capture: true });
    this.root.addEventListener("keydown", skip, { capture: true });
  }

  // Shows the last complete trick or clears it; null: as in the scene.
  showTrick(trick) {
    const { play } = this.view;
    this.trick = trick;
    this.board.show(play.scene, { game: this.tableName, targets: play.targets, selected: play.selected, can: play.can, trick });
    const isShown = trick ?? play.scene.trick?.shown ?? false, button = this.button("last_trick");
    button.hidden = !play.seats;
    button.disabled = !play.scene.trick || Boolean(play.over);
    button.setAttribute("aria-pressed", isShown);
  }

  announce(before) {
    const play = this.view.play, old = before?.play;
    const up = (scene) => new Map(scene.items.filter((item) => item.card).map((item) => [item.card, item.label]));
    const lines = [...(play.events ?? [])];
    if (!old || old.source !== play.source || before.game !== this.view.game) lines.push(`${play.rules}, ${play.source}`);
    else if (!play.seats) {
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

  // After a message was sent, say so if the answer takes a while.
  waitForAnswer(message) {
    const isKnown = this.listUses(message).every((one) => this.view?.used.includes(one));
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.say(isKnown ? WORKING : COMPILING), PATIENCE);
  }

  // The games and agents that a message uses; `used` lists those already compiled by the server.
  listUses({ game = this.view?.game, agent, opponents = [] }) {
    return [game, ...[agent, ...opponents].filter(Boolean).map((name) => `${game} ${name}`)];
  }

  stopWaiting() {
    clearTimeout(this.patience);
    if ([WORKING, COMPILING, GONE].includes(this.parts.said.textContent)) this.say("");
  }

  lose() { this.stop(); this.stopWaiting(); this.say(GONE); }

  // ---- choosing a game ----

  fillGames({ games, replays = [] }) {
    this.games = new Map(games.map((game) => [game.name, game]));
    const { game, variant } = this.parts.choose.elements;
    const kept = [game.value, variant.value];
    game.replaceChildren(...games.map((one) => make("option", { value: one.name }, one.title)));
    if (kept[0]) game.value = kept[0];
    this.fillVariants(kept[1]);
    this.parts.recorded.hidden = !replays.length;
    this.parts.replays.replaceChildren(...replays.map((text, number) => make("option", { value: number }, `${number + 1}  ${text}`)));
  }

  fillVariants(kept) {
    const { game, variant } = this.parts.choose.elements, found = this.games.get(game.value);
    variant.replaceChildren(...found.variants.map((one) => make("option", { value: one.name, title: one.source }, one.name)));
    variant.value = found.variants.some((one) => one.name === kept) ? kept : found.default;
    this.parts.options.replaceChildren(...found.options.map((option) =>
      make("label", { title: `${option.doc} (${option.values})` }, option.name, make("input", { name: `option-${option.name}`, placeholder: "as in the variant" }))));
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
    this.closeReplay();
    this.send({ do: "new", game: fields.game.value, variant: fields.variant.value, options,
      deal: fields.deal.value.trim() ? Number(fields.deal.value) : null,
      seat: several ? Number(fields.seat.value) : null,
      opponents: several ? fields.opponents.value.split(/[\s,]+/).filter(Boolean) : [] });
  }

  // ---- drawing ----

  drawAll() {
    if (!this.view?.play) return;
    const { play } = this.view;
    this.showTrick(this.trick);
    this.writeFacts();
    this.parts.notice.textContent = [play.notice, play.over && `${play.over}.`, play.over && asSentence(play.best_possible), this.view.not_saved].filter(Boolean).join(" ");
    this.parts.notice.classList.toggle("over", Boolean(play.over));
    this.fillActions(play);
    this.fillSeats(play);
    const chosen = this.parts.agent.value;
    this.parts.agent.replaceChildren(...this.view.agents.map((name) => make("option", { value: name }, name)));
    if (this.view.agents.includes(chosen)) this.parts.agent.value = chosen;
    const alone = !play.seats;
    this.parts.help.textContent = alone ? HELP_ALONE : HELP_AT_TABLES;
    for (const name of ["take_back", "restart"]) this.button(name).hidden = !alone;
    this.button("take_back").disabled = this.button("restart").disabled = !play.can_take_back;
    this.button("next_hand").hidden = alone;
    this.button("next_hand").disabled = this.button("review").disabled = !play.over;
    for (const name of ["advise", "auto"]) this.button(name).disabled = Boolean(play.over);
  }

  button(name) { return this.root.querySelector(`[data-do=${name}]`); }

  writeFacts() {
    const play = this.view?.play;
    if (!play) return;
    const facts = [`${play.rules} · ${play.source}`];
    if (play.moves !== undefined) {
      const seconds = play.seconds + (play.over ? 0 : (Date.now() - this.since) / 1000);
      facts.push(`score ${play.score}`, `moves ${play.moves}`, clock(seconds));
    }
    if (play.taken_back) facts.push("moves taken back");
    if (play.best) facts.push(`your best: ${play.best}`);
    const { played, won, score } = this.view.tally ?? {};
    if (played) facts.push(`${played} played, ${won} won${score === null ? "" : `, best score ${score}`}`);
    const now = [...this.parts.facts.children];
    while (now.length < facts.length) { now.push(make("span")); this.parts.facts.append(now.at(-1), " "); }
    facts.forEach((text, k) => { if (now[k].textContent !== text) now[k].textContent = text; });
    now.slice(facts.length).forEach((node) => node.remove());
  }

  fillActions(play) {
    const found = new Map(play.scene.buttons.map((b) => [b.action, [b.action, b.text, play.can.includes(b.action)]]));
    for (const one of play.buttons) if (!found.has(one.action)) found.set(one.action, [one.action, one.text, true]);
    const lost = fillActions(this.parts.actions, play.over ? [] : [...found.values()], (action) => { this.stop(); this.send({ do: "click", action }); });
    if (lost && play.over) this.button(play.seats ? "next_hand" : "review").focus();
  }

  fillSeats(play) {
    this.parts.seats.hidden = !play.seats;
    if (!play.seats) return;
    this.parts.seats.replaceChildren(make("caption", {}, `${play.unit[0].toUpperCase()}${play.unit.slice(1)}, hand ${play.hand}`), line("th", "seat", "player", "this hand", "total"),
      ...play.seats.map((seat, k) => line("td", k, seat.you ? "you" : seat.partner ? `${seat.name}, partner` : seat.name, play.over ? seat.net : "–", seat.total)));
  }

  // ---- keys, clicks and drags ----

  onKey(event) {
    if (!this.parts.replay.hidden || event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.board.onKey(event)) return;
    if (event.key === "u" || event.key === "U") this.button("take_back").click();
    else if (event.key === "Escape") this.view?.play?.selected.forEach((action) => this.send({ do: "click", action }));
    else return;
    event.preventDefault();
  }

  click(item, action) {
    this.stop();
    if (action === undefined) this.say(`${item.label} has no move now`);
    else this.send({ do: "click", action });
  }

  drop(item, onto) {
    const { targets } = this.view.play, drops = item.drops[onto.place];
    const start = targets[item.id], action = targets[onto.id];
    this.stop();
    if (drops !== undefined) this.send({ do: "click", action: drops });
    else if (start !== undefined && action !== undefined) this.send({ do: "click", action, start });
    else this.say(`${item.label} cannot be moved there`);
  }

  listen() {
    const { choose } = this.parts;
    choose.elements.game.addEventListener("change", () => this.fillVariants());
    choose.elements.variant.addEventListener("change", () => this.askSeats());
    choose.addEventListener("submit", (event) => { event.preventDefault(); this.startChosen(); });
    this.parts.theme.addEventListener("change", () => setLook({ theme: this.parts.theme.value }));
    this.parts.four.addEventListener("change", () => setLook({ four: this.parts.four.checked }));
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.listenToSkip();
    this.button("last_trick").addEventListener("click", (event) => this.showTrick(event.target.ariaPressed !== "true"));
    for (const name of ["take_back", "restart", "next_hand", "review"]) this.button(name).addEventListener("click", () => { this.stop(); this.send({ do: name }); });
    this.button("replay").addEventListener("click", () => { this.stop(); this.send({ do: "replay", number: Number(this.parts.replays.value) }); });
    this.button("advise").addEventListener("click", () => this.send({ do: "advise", agent: this.parts.agent.value }));
    this.button("auto").addEventListener("click", () => (this.auto ? this.stop() : this.play()));
  }

  // ---- replays ----

  showReplay({ data, ticket }) {
    this.ticket = ticket;
    this.parts.play.hidden = true;
    this.parts.replay.hidden = false;
    this.replay = new Replay(this.parts.replay, this.art, data, () => this.closeReplay());
    this.parts.replay.focus();
  }

  showReview({ review, ticket }) { if (ticket === this.ticket && this.replay) this.replay.review(review); }

  closeReplay() {
    this.replay?.stop();
    this.replay = null;
    this.parts.replay.hidden = true;
    this.parts.replay.replaceChildren();
    this.parts.play.hidden = false;
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
    this.view.used = advice.used;
    if (advice.number !== this.view.number) return;
    const names = Object.keys(advice.actions[0]).filter((name) => !["action", "label", "text", "word", "played"].includes(name));
    const by = (row) => row.probability ?? row.value ?? 0;
    const rows = [...advice.actions].sort((a, b) => b.played - a.played || by(b) - by(a)).slice(0, SHOWN);
    const best = rows[0];
    const facts = [advice.state_value !== undefined && `position value ${short(advice.state_value)}`, advice.unit && `values: ${advice.unit}`, advice.sees_all && "sees the hidden cards"];
    this.parts.advice.replaceChildren(
      make("p", {}, [`${advice.agent}: ${best.text}`, ...facts.filter(Boolean)].join("; ")),
      make("table", {}, line("th", "action", ...names), ...rows.map((row) => line("td", row.text, ...names.map((name) => short(row[name]))))));
    this.say(`${advice.agent}: ${best.text}`);
    this.board.aimAt(best.action);
  }
}

// Connects to the server, and reconnects if the connection breaks. The session lasts as long as the tab.
export async function open(root) {
  const art = await (await fetch("cards.json")).json();
  let socket = null, wait = 250;
  const page = new Page(root, art, (message) => {
    if (socket.readyState !== WebSocket.OPEN) { page.lose(); return; }
    socket.send(JSON.stringify(message));
    page.waitForAnswer(message);
  });
  const connect = () => {
    socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/ws`);
    socket.onopen = () => { wait = 250; socket.send(JSON.stringify({ do: "hello", session: sessionStorage.getItem(SESSION) })); };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.session) sessionStorage.setItem(SESSION, message.session);
      page.show(message);
    };
    socket.onclose = () => { page.lose(); wait = Math.min(2 * wait, 5000); setTimeout(connect, wait); };
  };
  connect();
}

// ---- notebook widget (anywidget): the table of an environment, or a replay ----

const WIDGET = `<div class="facts"><span data-part="facts"></span></div>
<div class="felt"><svg data-part="svg" role="group" aria-label="Cards"></svg>
<div data-part="actions" class="row centred" role="group" aria-label="Actions"></div></div>`;

function render({ model, el }) {
  const root = make("div", { class: "parlour widget" }), art = model.get("art");
  el.append(root);
  if (model.get("replay")) { new Replay(root, art, model.get("replay")); return; }
  root.innerHTML = WIDGET;
  const { svg, facts, actions } = parts(root);
  const act = (action) => { if (action !== undefined && action !== null) model.send({ do: "click", action }); };
  const board = new Board(svg, art, {
    click: (_, action) => act(action),
    drop: (item, onto) => act(item.drops[onto.place] ?? onto.action),
  });
  const show = () => {
    const scene = model.get("scene");
    const targets = Object.fromEntries(scene.items.filter((item) => item.action !== null).map((item) => [item.id, item.action]));
    board.show(scene, { game: scene.title, targets });
    facts.textContent = model.get("facts");
    fillActions(actions, scene.buttons.map((b) => [b.action, b.text, b.legal]), act);
  };
  root.addEventListener("keydown", (event) => { if (board.onKey(event)) event.stopPropagation(); });
  model.on("change:scene", show);
  startLook();
  show();
}

export default { render };

// ---- standalone page: the play page, or a replay with its data in the page ----

const page = document.getElementById("parlour"), inlined = document.getElementById("parlour-data");
if (page && inlined) {
  const { art, replay } = JSON.parse(inlined.textContent);
  startLook();
  new Replay(page, art, replay).root.focus();
} else if (page) open(page);
