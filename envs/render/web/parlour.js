// Draws tables for the play page, for single-file replays, and for notebooks (anywidget). There is no
// build step and no library. Only the server or the notebook knows the rules; here, a card has an id, a
// place and the action of a click on it.

const SVG = "http://www.w3.org/2000/svg";
const SESSION = "parlour-session", LOOK = "parlour-look";
const SPEEDS = { "no delay": 0, "4 moves per second": 250, "2 moves per second": 500, "1 move per second": 1000, "1 move per 3 seconds": 3000 };
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ASIDE = 0.4, FAR = 100; // maximum offset of cards in a straight line, in cards; cost of leaving the line
const DRAG = 8; // minimum distance of a drag in pixels
const MARGIN = 8;
const TALLEST = 1.35; // maximum number of pixels per unit of a drawing
const LEAST_ROOM = 320; // minimum height of a table in pixels
const LEAST_DOWN = 0.09, LEAST_UP = 0.19; // minimum offsets of cards in a compressed pile
const TWICE = 350; // maximum time between the clicks of a double click in milliseconds
const FLIGHT = 170; // duration of a card's movement in milliseconds
const PATIENCE = 1500; // milliseconds without an answer before the page says that it is waiting
const WORKING = "Still working", COMPILING = `${WORKING}: compiling on the first use of a game or an agent, which takes a minute or two`;
const GONE = "The server does not respond. Reconnecting …";
const SHOWN = 8; // maximum number of actions in an agent's advice
const WORDS = 17, LEGIBLE = 12.5, MOST_GROWTH = 1.57; // font size; minimum font size in pixels; maximum enlargement, limited by the line spacing
const CURVE = { wide: 320, high: 150, left: 46, right: 10, top: 10, bottom: 26 }; // size and margins of the chance curve
const NAME = [28, 24], SIGN = [36, 40]; // size of the name or sign of an empty place, which arrows do not cover
const SHORTEN = 20; // distance of the tip of an arrow from the center of its target
const LONG_PAUSE = 6; // factor of the pause after a complete trick: 3 seconds at the normal pace
const PACES = { slow: 1000, normal: 500, fast: 250, "no pauses": 0 }; // milliseconds after each action of an opponent
const AFTER = { start: 1, middle: 0.5, end: 0 }; // fraction of a text's width to the right of its anchor

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
const makeAgent = ({ spec, text }) => make("option", { value: spec, title: `Name in commands and code: ${spec}` }, text);
const line = (tag, ...cells) => make("tr", {}, ...cells.map((cell) => make(tag, {}, String(cell))));
const parts = (root) => Object.fromEntries([...root.querySelectorAll("[data-part]")].map((node) => [node.dataset.part, node]));
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;
const short = (value) => (typeof value === "number" ? String(Number(value.toPrecision(3))) : value ?? "–");
const touch = matchMedia("(hover: none)");
// Words of the game as a person reads them here: the cards show "10", and a finger taps.
const spell = (text) => {
  const named = text.replaceAll(/\bT(?=[♣♦♥♠])/g, "10");
  return touch.matches ? named.replaceAll(/\b([Cc])lick(?=s?\b)/g, (_, c) => (c === "C" ? "Tap" : "tap")) : named;
};
const nameGrid = ({ place }) => place?.replace(/-.*/, ""); // the squares of a grid have places such as "square-b4"
const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

// ---- preferences, saved in the browser ----

// `finish`: whether won games finish by themselves; `warn`: whether to show that a position is lost; `seen`: the games whose explanation was read;
// `agents`: the agents that the person has chosen, by game; `pace`: one of PACES.
const look = { theme: "auto", four: false, finish: true, warn: true, pace: "normal", seen: [], agents: {} };
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

let boards = 0; // number of boards made so far

export class Board {
  // Callbacks: `on.click(item, action)`, `on.drop(item, onto)`, and `on.targets(item)`, which returns
  // the ids of the items onto which an item can be moved.
  constructor(svg, art, on = {}) {
    this.svg = svg; this.art = art; this.on = on;
    this.nodes = new Map(); this.focused = null; this.at = null; this.shown = null;
    this.lit = new Set();
    this.cursor = draw("rect", { class: "cursor", rx: 9, fill: "none", visibility: "hidden" });
    this.corners = `corners-${boards++}`; // ids are unique in a page, which may have several boards
    this.above = draw("g", { mask: `url(#${this.corners})` });
    watchers.add(() => { if (svg.isConnected) { this.nodes.clear(); svg.replaceChildren(); this.redraw(); } });
    new ResizeObserver(() => { if (this.shown && this.findSize() !== this.size) this.redraw(); }).observe(svg);
    addEventListener("resize", () => { if (this.shown && svg.isConnected) this.redraw(); });
    if (!on.click) return;
    svg.addEventListener("pointerdown", (event) => this.press(event));
    // Dragging a card by finger must not scroll; touch-action has no effect on parts of an SVG.
    svg.addEventListener("touchmove", (event) => { if (event.target.closest(".item[role=button]")) event.preventDefault(); }, { passive: false });
    // An SVG that listens to the focus is a tab stop in Chromium, so its parent listens.
    svg.parentElement.addEventListener("focusin", (event) => { const node = event.target.closest(".item"); if (node) this.focusOn(node); });
    svg.parentElement.addEventListener("focusout", () => this.cursor.setAttribute("visibility", "hidden"));
  }

  get theme() { return this.art[themeName()]; }

  // `game` identifies the game: its table may grow, but does not shrink. `targets` are actions by id. With `fit`, long
  // piles are compressed so that the table fits into the window. `trick` says whether the last trick is on the table;
  // null: as in the scene.
  show(scene, { game = "", targets = {}, selected = [], can = null, aim = null, fit = false, trick = null } = {}) {
    const last = (trick ?? scene.trick?.shown) ? scene.trick : null;
    const places = new Set(last?.items.map((item) => item.place)); // the last trick hides the current one
    const whole = last ? { ...scene, items: [...scene.items.filter((item) => !places.has(item.place)), ...last.items], texts: [...scene.texts, ...last.texts] } : scene;
    this.shown = { scene: whole, game, targets, selected, can, aim, fit };
    this.arrow = []; this.lit = new Set();
    this.redraw();
  }

  // The size of the table in pixels, on which the drawing depends.
  findSize() {
    const { width } = this.svg.getBoundingClientRect();
    return `${Math.round(width)} ${innerHeight}`;
  }

  // The height in pixels between the table's top and the window's bottom.
  findRoom() {
    const { top, bottom } = this.svg.getBoundingClientRect(), end = this.svg.closest(".felt")?.getBoundingClientRect().bottom ?? bottom;
    const below = Number.parseFloat(getComputedStyle(this.svg).getPropertyValue("--below")) || 0;
    return Math.max(LEAST_ROOM, innerHeight - top - scrollY - (end - bottom) - below);
  }

  // Returns the items, with long piles compressed: face-down cards first.
  fitPiles(scene) {
    const [, stepY] = this.theme.step, wide = this.svg.getBoundingClientRect().width || 1;
    const scale = Math.min(TALLEST, wide / (this.right + 2 * MARGIN));
    const most = Math.max(scene.canvas[1] * 0.62, Math.min(scene.canvas[1], (this.findRoom() / scale - 2 * MARGIN) / stepY));
    const piles = new Map(), moved = new Map();
    for (const item of scene.items.filter(({ place }) => place)) {
      const name = `${item.place} ${item.x}`;
      piles.set(name, [...(piles.get(name) ?? []), item]);
    }
    for (const pile of piles.values()) {
      const gaps = pile.slice(1).map((item, k) => item.y - pile[k].y), excess = pile.at(-1).y + 1 - most;
      if (excess <= 0 || !gaps.length || gaps.some((gap) => gap <= 0)) continue;
      const shrink = (indices, least, by) => {
        const spare = indices.map((k) => Math.max(0, gaps[k] - least)), sum = spare.reduce((a, b) => a + b, 0);
        const share = sum ? Math.min(1, by / sum) : 0;
        indices.forEach((k, i) => { gaps[k] -= share * spare[i]; });
        return by - share * sum;
      };
      const at = (isDown) => gaps.flatMap((_, k) => ((pile[k].face === "down") === isDown ? [k] : []));
      shrink(at(false), LEAST_UP, shrink(at(true), LEAST_DOWN, excess));
      pile.reduce((y, item, k) => { moved.set(item, y); return y + (gaps[k] ?? 0); }, pile[0].y);
    }
    this.most = most;
    return scene.items.map((item) => (moved.has(item) ? { ...item, y: moved.get(item) } : item));
  }

  // The factor by which texts are enlarged, so that they stay legible on a small table.
  findGrowth() {
    const wide = this.svg.getBoundingClientRect().width;
    return wide ? Math.min(MOST_GROWTH, Math.max(1, (LEGIBLE * (this.right + 2 * MARGIN)) / (WORDS * wide))) : 1;
  }

  redraw() {
    if (!this.shown) return;
    const { scene, game, fit } = this.shown, [stepX, stepY] = this.theme.step, { svg } = this;
    const [width, height] = this.theme.size, colours = this.theme.colours;
    if (this.sized !== game) { this.sized = game; this.right = scene.canvas[0] * stepX - 6; this.bottom = 0; }
    const items = fit ? this.fitPiles(scene) : scene.items;
    const ends = items.map((i) => [i.x * stepX + width * i.size, i.y * stepY + height * i.size + (i.note.length > 3 ? 16 : 0)]);
    ends.push(...scene.panels.map((p) => [(p.x + p.width) * stepX - 6, (p.y + p.height) * stepY - 8]));
    if (fit) { this.bottom = 0; ends.push([0, this.most * stepY - 8]); }
    this.size = this.findSize();
    this.growth = this.findGrowth();
    const size = WORDS * this.growth;
    ends.push(...scene.texts.map((t) => [t.x * stepX + t.text.length * 0.53 * size * AFTER[t.anchor], t.y * stepY + 5 + size]));
    this.right = Math.max(this.right, ...ends.map(([x]) => x));
    this.bottom = Math.max(this.bottom, ...ends.map(([, y]) => y));
    svg.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${this.right + 2 * MARGIN} ${this.bottom + 2 * MARGIN}`);
    svg.style.setProperty("--across", this.right + 2 * MARGIN);
    svg.style.setProperty("--room", `${this.findRoom()}px`);
    const held = svg.contains(document.activeElement);
    const panels = scene.panels.map((p) => draw("rect", { x: p.x * stepX, y: p.y * stepY, width: p.width * stepX - 6, height: p.height * stepY - 8, rx: 12,
      fill: colours.panel, "fill-opacity": p.state === "out" ? 0.4 : 1, stroke: p.state === "turn" ? colours.turn : "none", "stroke-width": 3 }));
    this.grids = new Set(items.filter((i) => i.face === "empty" && i.id in this.shown.targets).map(nameGrid));
    const cards = items.map((item) => this.drawItem(item));
    const words = scene.texts.map((t) => draw("text", { x: t.x * stepX, y: t.y * stepY + size - 2, "font-size": size,
      fill: t.look === "faint" ? colours.faint : colours.words, "font-weight": t.look === "strong" ? "bold" : "normal", "text-anchor": t.anchor }, spell(t.text)));
    const chips = scene.chips.flatMap((c) => this.drawChips(c.x * stepX, c.y * stepY, c.amount, size));
    svg.replaceChildren(this.maskCorners(items), ...panels, ...cards, ...words, ...chips, this.above, this.cursor);
    this.above.replaceChildren(...this.drawAbove());
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
    const action = targets[item.id], has = action !== undefined || this.canDrag(item) || this.lit.has(item.id);
    const picked = has && selected.includes(action);
    const legal = has && ((can?.includes(action) ?? false) || (this.canDrag(item) && item.mark === "legal"));
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
    node.classList.toggle("target", this.lit.has(item.id));
    node.classList.toggle("advised", aim !== null && (has ? action : item.action) === aim);
    if (has && this.on.click) { node.setAttribute("aria-pressed", picked); node.setAttribute("tabindex", "-1"); }
    else {
      node.removeAttribute("aria-pressed"); node.removeAttribute("tabindex");
      // The keys also reach the full squares of a grid, so that the way to each square is straight.
      if (this.on.click && item.place && this.grids.has(nameGrid(item))) node.setAttribute("tabindex", "-1");
    }
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
    const ring = `<rect class="ring" x="-1" y="-1" width="${width + 2}" height="${height + 2}" rx="8" fill="none"/>`;
    return under + face + theme.outlines[mark] + ring + badge + this.drawNote(item);
  }

  canDrag(item) { return Boolean(this.on.click) && Object.keys(item.drops).length > 0; }

  // Lights up the items with these ids and makes them reachable; an empty list switches them off.
  light(ids) {
    this.lit = new Set(ids);
    this.redraw();
  }

  // Draws an arrow from one item to another, or marks a single item.
  point(ids) {
    this.arrow = ids;
    this.redraw();
  }

  // The mask of arrows: it leaves out the visible ranks and suits, so that arrows seem to pass below them.
  maskCorners(items) {
    const [stepX, stepY] = this.theme.step, [width, height] = this.theme.size, [wide, high] = this.theme.corner;
    const boxes = items.map((i) => ({ ...i, left: i.x * stepX, top: i.y * stepY }));
    const covers = (one, { left, top, size }) => one.face !== "empty" && left < one.left + width * one.size && top < one.top + height * one.size
      && left + wide * size > one.left && top + high * size > one.top;
    const seen = boxes.filter((one, k) => one.face === "up" && !boxes.slice(k + 1).some((other) => covers(other, one)));
    const area = { x: -MARGIN, y: -MARGIN, width: this.right + 2 * MARGIN, height: this.bottom + 2 * MARGIN };
    // The names of empty places are left out, too.
    const named = boxes.filter((one) => one.face === "empty" && one.note).map((one) => {
      const [w, h] = one.note.length > 1 ? NAME : SIGN;
      return { x: one.left + ((width - w) / 2) * one.size, y: one.top + ((height - h) / 2) * one.size, width: w * one.size, height: h * one.size };
    });
    const mask = draw("mask", { id: this.corners, maskUnits: "userSpaceOnUse", ...area });
    mask.append(draw("rect", { ...area, fill: "#fff" }), ...seen.map(({ left, top, size }) =>
      draw("rect", { x: left, y: top, width: wide * size, height: high * size, rx: 3 * size, fill: "#000" })),
    ...named.map((box) => draw("rect", { ...box, rx: 3, fill: "#000" })));
    return mask;
  }

  drawAbove() { return this.drawArrow(); }

  drawArrow() {
    const ends = (this.arrow ?? []).map((id) => this.nodes.get(id)).filter(Boolean), [width, height] = this.theme.size;
    for (const node of this.nodes.values()) if (this.arrow?.length) node.classList.toggle("advised", ends.includes(node));
    if (ends.length < 2) return [];
    const [from, to] = ends.map((node) => [node.to[0] + width / 2, node.to[1] + height / 2]);
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1, unit = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    const { face, note } = ends[1].item, apart = face === "empty" && note ? SHORTEN : 6;
    const tip = [to[0] - apart * unit[0], to[1] - apart * unit[1]], neck = [tip[0] - 16 * unit[0], tip[1] - 16 * unit[1]];
    const wing = (side) => `${neck[0] - side * 10 * unit[1]},${neck[1] + side * 10 * unit[0]}`;
    return [
      draw("path", { class: "arrow", d: `M${from.join(" ")}L${neck.join(" ")}` }),
      draw("polygon", { class: "arrow-head", points: `${tip.join(",")} ${wing(1)} ${wing(-1)}` }),
    ];
  }

  drawNote({ note, face }) {
    const [width, height] = this.theme.size, { faint } = this.theme.colours;
    if (!note || (face !== "empty" && note.length < 4)) return ""; // short notes on cards are words to type
    const words = note.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
    const [y, size] = note.length > 3 ? [height + 14, 13] : note.length > 1 ? [height / 2 + 5, 16] : [height / 2 + 12, 34];
    return `<text x="${width / 2}" y="${y}" font-size="${size}" text-anchor="middle" fill="${faint}">${words}</text>`;
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
    if (held) { next.focus({ preventScroll: true }); this.showCursor(next); }
  }

  focus() {
    const node = this.nodes.get(this.focused);
    if (node?.hasAttribute("tabindex")) node.focus({ preventScroll: true });
    return Boolean(node?.hasAttribute("tabindex"));
  }

  focusOn(node) {
    for (const one of this.buttons) one.setAttribute("tabindex", one === node ? "0" : "-1");
    this.focused = node.dataset.id; this.at = [node.item.x, node.item.y];
    this.showCursor(node);
  }

  // The outline of the focused card, on top of the cards that overlap it.
  showCursor(node) {
    const [width, height] = this.theme.size, [x, y] = node.to;
    for (const [key, value] of Object.entries({ x: x - 4, y: y - 4, width: width + 8, height: height + 8 })) this.cursor.setAttribute(key, value);
    this.cursor.setAttribute("visibility", node.matches(":focus-visible") ? "visible" : "hidden");
    this.svg.append(this.cursor);
  }

  go([dx, dy]) {
    const from = this.nodes.get(this.focused)?.item;
    if (!from) return;
    // Cards in a straight line come first.
    const cost = ({ item }) => {
      const along = (item.x - from.x) * dx + (item.y - from.y) * dy;
      const aside = Math.abs((item.x - from.x) * dy) + Math.abs((item.y - from.y) * dx);
      return along > 0.05 ? along + (aside < ASIDE ? aside : FAR + 2 * aside) : Infinity;
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
    const begin = [event.clientX, event.clientY], scale = this.svg.getScreenCTM().a;
    let run = null; // the dragged cards, once there are any
    const move = (now) => {
      if (now.pointerId !== event.pointerId) return;
      const [dx, dy] = [now.clientX - begin[0], now.clientY - begin[1]];
      if (!run && Math.hypot(dx, dy) <= DRAG) return;
      run ??= this.lift(node);
      for (const one of run) one.setAttribute("transform", `translate(${one.to[0] + dx / scale} ${one.to[1] + dy / scale})`);
    };
    const end = (now) => {
      if (now.pointerId !== event.pointerId) return;
      for (const kind of ["pointermove", "pointerup", "pointercancel"]) removeEventListener(kind, kind === "pointermove" ? move : end);
      if (!run) { if (now.type !== "pointercancel") this.on.click(node.item, this.shown.targets[node.dataset.id]); return; }
      const onto = now.type === "pointercancel" ? null : this.findUnder(node, run, now);
      for (const one of run) one.classList.remove("dragged");
      this.lit = new Set();
      this.redraw(); // puts the cards back, in their old order
      if (onto) this.on.drop(node.item, onto.item);
    };
    addEventListener("pointermove", move); addEventListener("pointerup", end); addEventListener("pointercancel", end);
  }

  // Puts a card and the cards on it on top of the table, lights its targets, and returns the cards.
  lift(node) {
    const hadFocus = node.contains(document.activeElement);
    this.lit = new Set(this.on.targets?.(node.item) ?? []);
    for (const one of this.nodes.values()) one.classList.toggle("target", this.lit.has(one.dataset.id));
    const all = [...this.nodes.values()], { place, x } = node.item;
    const run = all.slice(all.indexOf(node)).filter((one) => one === node || (place && one.item.place === place && one.item.x === x));
    for (const one of run) { one.classList.add("dragged"); this.svg.append(one); }
    if (hadFocus) node.focus({ preventScroll: true });
    return run;
  }

  // Returns the target that a dragged card covers most, or the card under the pointer.
  findUnder(node, run, { clientX, clientY }) {
    const card = node.querySelector("rect").getBoundingClientRect();
    const overlap = (one) => {
      const box = one.getBoundingClientRect();
      const across = Math.min(box.right, card.right) - Math.max(box.left, card.left);
      const down = Math.min(box.bottom, card.bottom) - Math.max(box.top, card.top);
      return Math.max(0, across) * Math.max(0, down);
    };
    const targets = [...this.lit].map((id) => this.nodes.get(id)).filter((one) => one && !run.includes(one));
    const best = targets.sort((a, b) => overlap(b) - overlap(a))[0];
    if (best && overlap(best) > 0.2 * card.width * card.height) return best;
    const under = document.elementsFromPoint(clientX, clientY).map((one) => one.closest(".item"));
    return under.find((one) => one && !run.includes(one));
  }
}

function fillActions(row, found, click) { // `found`: [action, text, legal]
  const held = document.activeElement?.closest?.("[data-action]")?.dataset.action;
  row.replaceChildren(...found.map(([action, text, legal]) => {
    const node = make("button", { type: "button", "data-action": action }, spell(text));
    node.disabled = !legal;
    node.classList.toggle("bid", Number(text) > 0); // many bids are one row
    node.addEventListener("click", () => click(action));
    return node;
  }));
  if (held === undefined) return false;
  const same = row.querySelector(`[data-action="${held}"]:enabled`) ?? row.querySelector(":enabled");
  same?.focus({ preventScroll: true });
  return !same;
}

// ---- pace: a page shows the actions of several seats one after another ----

class Pace {
  // `steps` is a list of functions that draw one step each and return the pause after it in milliseconds, or nothing.
  constructor() { this.timer = null; this.steps = []; }

  get isRunning() { return this.steps.length > 0; }

  run(steps, ms) {
    clearTimeout(this.timer);
    this.steps = [...steps];
    if (ms && !still.matches) this.next(ms); else this.skip();
  }

  next(ms) {
    const pause = this.steps.shift()();
    if (this.isRunning) this.timer = setTimeout(() => this.next(ms), pause ?? ms);
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

  goOn(ms) { // ends the pause, and shows all steps up to the next complete trick
    clearTimeout(this.timer);
    let pause;
    while (this.isRunning && !(pause > ms)) pause = this.steps.shift()();
    if (this.isRunning) this.timer = setTimeout(() => this.next(ms), pause);
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
<button type="button" data-go="loss" title="Next move with a loss (N)" aria-keyshortcuts="N" hidden>Next loss</button>
<button type="button" data-go="worst" title="Move with the greatest loss (W)" aria-keyshortcuts="W" hidden>Worst move</button>
<button type="button" data-go="close" hidden>Back to the table</button></div>
</section>
<aside aria-label="Review"><h2>Review</h2>
<p data-part="chance" class="big"></p>
<p data-part="verdict" class="verdict"></p>
<p data-part="legend" class="help" hidden>Dashed arrow: the move played. Solid arrow: the better move.</p>
<p data-part="scale" class="help"></p>
<svg data-part="curve" class="curve" role="img"></svg>
<div data-part="values" class="wide"></div>
<p data-part="judge" class="help"></p></aside>`;

class ReplayBoard extends Board { // also draws the next move and a better move
  paths = { next: [], better: [] };

  drawAbove() { return Object.entries(this.paths).flatMap(([name, path]) => this.drawPath(name, path)); }

  // A path is a list of upper left corners of cards. One card gets a ring, several are connected by an arrow.
  drawPath(name, path) {
    const [stepX, stepY] = this.theme.step, [width, height] = this.theme.size;
    const centers = path.map(([x, y]) => [x * stepX + width / 2, y * stepY + height / 2]);
    if (!centers.length) return [];
    if (centers.length === 1) return [draw("ellipse", { class: `path ${name}`, cx: centers[0][0], cy: centers[0][1], rx: width * 0.6, ry: height * 0.6 })];
    const [from, to] = centers.slice(-2), angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    const tip = to.map((value, k) => value - SHORTEN * [Math.cos(angle), Math.sin(angle)][k] * (centers.length > 1));
    const wing = (turn) => tip.map((value, k) => value - 16 * [Math.cos(angle + turn), Math.sin(angle + turn)][k]).join(" ");
    return [
      draw("path", { class: `path ${name}`, d: `M${[...centers.slice(0, -1), tip].map((point) => point.join(" ")).join("L")}` }),
      draw("path", { class: `path ${name} head`, d: `M${wing(0.5)}L${tip.join(" ")}L${wing(-0.5)}` }),
    ];
  }
}

export class Replay {
  // `data` is the result of replay_data (training). `review` may add a review later. Steps are moves.
  constructor(root, art, data, close = null) {
    root.classList.add("parlour", "replay");
    root.innerHTML = `<main>${REPLAY}</main>`;
    this.root = root; this.data = data; this.parts = parts(root); this.at = 0; this.timer = null;
    this.board = new ReplayBoard(this.parts.svg, art);
    this.parts.slide.max = data.moves.length;
    this.parts.slide.addEventListener("input", () => this.go(Number(this.parts.slide.value)));
    this.ways = {
      first: () => this.go(0), back: () => this.go(this.at - 1), on: () => this.go(this.at + 1),
      last: () => this.go(data.moves.length), play: () => this.play(),
      loss: () => this.go(this.nextLoss()), worst: () => this.go(this.worstMove()), close,
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
    this.parts.judge.textContent = review ? review.error ?? `Values: ${review.judge}.` : review === null ? "No review." : "Review in progress …";
    this.decisions = new Map((review?.decisions ?? []).map((one) => [one.step, one]));
    this.judgments = (review?.moves ?? []).map((one) => ({ ...one, text: spell(one.text), at: this.data.starts.findLastIndex((start) => start <= one.step) }));
    for (const name of ["loss", "worst"]) this.button(name).hidden = !this.judgments.some((one) => one.lost);
    for (const name of ["curve", "scale"]) this.parts[name].toggleAttribute("hidden", !this.judgments.length);
    this.parts.scale.textContent = review?.scale ? `${review.scale[0].toUpperCase()}${review.scale.slice(1)} before each move. A dot marks a move that lost value.` : "";
    this.drawCurve();
    this.tell();
    this.board.paths = this.findPaths();
    this.board.redraw();
  }

  get judgment() { return this.judgments.find(({ at }) => at === this.at); } // of the next move

  findPaths() { return { next: this.data.paths[this.at] ?? [], better: this.judgment?.path ?? [] }; }

  nextLoss() {
    const found = this.judgments.filter((one) => one.lost).map((one) => one.at);
    return found.find((at) => at > this.at) ?? found[0] ?? this.at;
  }

  worstMove() { // the first of the moves with the greatest loss
    const found = this.judgments.filter((one) => one.lost), most = Math.max(...found.map((one) => one.loss));
    return found.find((one) => one.loss === most)?.at ?? this.at;
  }

  go(number) {
    const last = this.data.moves.length;
    this.at = Math.min(Math.max(number, 0), last);
    this.board.paths = this.findPaths();
    this.board.show(this.scene(this.at), { game: this.data.headline });
    this.parts.slide.value = this.at;
    this.parts.slide.setAttribute("aria-valuetext", `${this.at} of ${last}`);
    this.parts.said.textContent = `${this.at} of ${last}` + (this.at < last ? ` · next: ${spell(this.data.moves[this.at])}` : " · the end");
    for (const name of ["first", "back"]) this.button(name).disabled = !this.at;
    for (const name of ["on", "last"]) this.button(name).disabled = this.at === last;
    if (this.at === last) this.stop();
    this.drawCurve();
    this.tell();
  }

  text(value, sign = false) {
    if (value === null || value === undefined) return "–";
    const plus = sign && value >= 0 ? "+" : "";
    return this.judged.unit === "won" ? `${plus}${Math.round(100 * value)} %` : plus + value.toFixed(2);
  }

  tell() { // describes the next move or, at the end, the whole game
    const { chance, verdict, values } = this.parts, one = this.judgment;
    values.replaceChildren();
    verdict.className = "verdict";
    this.parts.legend.hidden = !one?.path.length;
    if (!this.judgments.length) { chance.textContent = verdict.textContent = ""; return; }
    if (this.at === this.data.moves.length) {
      const { first_chance: first, loss, unseen, luck, outcome } = this.judged.totals;
      chance.textContent = `${this.text(first)} → ${this.text(outcome)}`;
      verdict.textContent = `Lost by decisions: ${this.text(loss)}. Lost because cards are hidden: ${this.text(unseen)}. Luck: ${this.text(luck, true)}.`;
      const lost = this.judgments.filter((each) => each.lost).sort((a, b) => b.loss - a.loss).slice(0, SHOWN).sort((a, b) => a.at - b.at);
      values.replaceChildren(make("ul", {}, ...lost.map((each) => make("li", {}, `Move ${each.at + 1}: ${each.text}`))));
      return;
    }
    chance.textContent = one ? `${this.judged.unit === "won" ? "Chance" : "Value"} ${this.text(one.chance)}` : "";
    if (!one) { verdict.textContent = this.data.acts[this.at] ? "No choice in this position." : "Not your move."; return; }
    verdict.classList.add(one.lost ? "bad" : "good");
    verdict.textContent = one.text;
    const decision = this.decisions.get(one.step);
    const best = decision.legal.reduce((found, row) => (row.value > found.value ? row : found), decision.legal[0]);
    const rows = [...decision.legal].sort((a, b) => (b.action === decision.action) - (a.action === decision.action) || b.value - a.value).slice(0, SHOWN);
    values.replaceChildren(make("table", {}, line("th", "action", "value", "±"), ...rows.map((row) => {
      const isBetter = one.lost && row === best, note = isBetter ? " (better)" : "";
      const node = line("td", `${spell(row.text)}${note}`, this.text(row.value), this.text(row.error));
      node.classList.toggle("better", isBetter);
      node.classList.toggle("played", row.action === decision.action);
      return node;
    })));
  }

  drawCurve() {
    const { curve } = this.parts, { wide, high, left, right, top, bottom } = CURVE, last = this.data.moves.length;
    const marks = this.judgments.map((one) => [one.at, one.chance]);
    if (!marks.length) { curve.replaceChildren(); return; }
    const outcome = this.judged.totals.outcome;
    const points = outcome === null ? marks : [...marks, [last, outcome]], all = points.map(([, value]) => value);
    const [low, most] = this.judged.unit === "won" ? [0, 1] : [Math.min(...all), Math.max(...all)];
    const x = (at) => left + (at / Math.max(1, last)) * (wide - left - right);
    const y = (value) => high - bottom - ((value - low) / (most - low || 1)) * (high - top - bottom);
    const label = (value, attributes) => draw("text", { class: "tick", ...attributes }, value);
    curve.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    curve.setAttribute("aria-label", `${this.judged.scale} over the ${last} moves of the game, from ${this.text(marks[0][1])} to ${this.text(all.at(-1))}`);
    curve.replaceChildren(
      ...[low, (low + most) / 2, most].flatMap((value) => [
        draw("path", { class: "grid", d: `M${left} ${y(value)}H${wide - right}` }),
        label(this.judged.unit === "won" ? this.text(value) : short(value), { x: left - 6, y: y(value) + 4, "text-anchor": "end" })]),
      ...[0, Math.round(last / 2), last].map((at) => label(at === last ? "end" : `move ${at + 1}`, {
        x: x(at), y: high - 8, "text-anchor": at === 0 ? "start" : at === last ? "end" : "middle" })),
      draw("path", { class: "now", d: `M${x(this.at)} ${top}V${high - bottom}` }),
      draw("polyline", { class: "chance", points: points.map(([at, value]) => `${x(at)},${y(value)}`).join(" ") }),
      ...this.judgments.filter((one) => one.lost).map((one) => {
        const dot = draw("circle", { class: "loss", cx: x(one.at), cy: y(one.chance), r: 5.5 });
        dot.append(draw("title", {}, `Move ${one.at + 1}: ${one.text}`));
        return dot;
      }));
  }

  goByCurve(event) {
    const box = this.parts.curve.getBoundingClientRect(), { wide, left, right } = CURVE;
    const share = (((event.clientX - box.left) / box.width) * wide - left) / (wide - left - right);
    this.stop();
    this.go(Math.round(share * this.data.moves.length));
  }

  play() {
    if (this.timer) { this.stop(); return; }
    if (this.at === this.data.moves.length) this.go(0);
    this.button("play").textContent = "Stop";
    this.timer = setInterval(() => (this.root.isConnected ? this.go(this.at + 1) : this.stop()), 800);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.button("play").textContent = "Play";
  }

  onKey(event) {
    const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", n: "loss", w: "worst" };
    const way = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!way || event.target.closest("select") || event.ctrlKey || event.metaKey || event.altKey) return;
    this.stop();
    this.ways[way]();
    event.preventDefault();
  }
}

// ---- the play page ----

const PAGE = `
<div data-part="layout" class="layout">
<header><h1><span aria-hidden="true">♠</span> Parlour</h1>
<nav class="row" aria-label="Menu"><button type="button" data-do="choose" aria-keyshortcuts="N">New game</button>
<button type="button" data-do="restart" class="plain">Same deal</button><button type="button" data-do="review" class="plain">Review</button>
<button type="button" data-do="learn" class="plain" aria-controls="guide">How to play</button><button type="button" data-do="settings" class="plain">Settings</button></nav>
</header>
<details data-part="guide" id="guide" class="guide panel"><summary>How to play <span data-part="title"></span></summary>
<div data-part="explanation"></div><button type="button" data-do="fold">Got it</button></details>
<main data-part="play" aria-label="Table">
<div data-part="facts" class="facts"></div>
<p data-part="prompt" class="prompt"></p>
<p data-part="said" class="said" aria-live="polite"></p>
<p data-part="notice" class="notice" role="status"></p>
<div class="felt"><svg data-part="svg" role="group" aria-label="Cards" focusable="false"></svg>
<div data-part="actions" class="row centred" role="group" aria-label="Actions"></div></div>
<div class="foot"><div class="bar" role="toolbar" aria-label="Game"><button type="button" data-do="take_back" class="plain" aria-keyshortcuts="U">Undo</button>
<button type="button" data-do="advise" class="plain" aria-keyshortcuts="H">Hint</button>
<button type="button" data-do="stop" hidden>Stop</button>
<button type="button" data-do="last_trick" class="plain" hidden>Last trick</button><span data-part="tools" class="tools"></span>
<button type="button" data-do="menu" class="plain" aria-expanded="false">Menu</button></div>
<div data-part="ending" class="ending" hidden><p data-part="over"></p><div class="row"><button type="button" data-do="next_deal">Next deal</button>
<button type="button" data-do="next_hand">Next hand</button><button type="button" data-do="same_deal" class="plain">Same deal</button>
<button type="button" data-do="look_back" class="plain">Review</button></div></div>
<button type="button" data-do="deal_winnable" class="plain" hidden>Deal one that can be won</button></div>
</main>
<section data-part="results" class="results panel" aria-label="Results"><h2>Results</h2><p data-part="unsaved" class="notice" role="status"></p>
<p data-part="tally"></p><table data-part="seats" hidden></table></section>
<aside class="panel" aria-label="Agent"><h2>Agent</h2>
<p class="help">Gives the hints, and can play for you.</p>
<div class="row"><label>Agent <select data-part="agent"></select></label></div>
<div class="row"><label>Speed <select data-part="speed"></select></label><button type="button" data-do="auto" class="plain">Let it play</button></div>
<details data-part="numbers" hidden><summary>Numbers behind the hint</summary><div data-part="advice" class="wide"></div></details>
<details data-part="recorded" hidden><summary>Replays</summary><div class="row recorded"><select data-part="replays" aria-label="Recorded game"></select>
<button type="button" data-do="replay" class="plain">Open</button></div></details>
<p data-part="help" class="help"></p></aside>
</div>
<div data-part="replay" hidden></div>
<dialog data-part="chooser" aria-label="New game"><form data-part="choose">
<h2>New game</h2>
<label>Game <select name="game"></select></label>
<label>Variant <select name="variant"></select></label><p data-part="note" class="help"></p>
<label data-part="winnable">Winnable deals only <input type="checkbox" role="switch" name="winnable"></label>
<div data-part="several" class="stack" hidden><label>Your seat <select name="seat"></select></label>
<div data-part="opponents" class="stack"></div></div>
<details><summary>Deal number</summary><label>Number <input name="deal" type="number" min="0" max="${Number.MAX_SAFE_INTEGER}" step="1" placeholder="random"></label>
<p class="help">The same number always gives the same deal.</p></details>
<details><summary>Rules of this variant</summary><div data-part="options" class="options"></div></details>
<p data-part="refused" class="notice" role="alert"></p>
<div class="row end"><button type="button" data-do="cancel" class="plain">Cancel</button><button>Start</button></div></form></dialog>
<dialog data-part="settings" aria-label="Settings"><h2>Settings</h2><div class="stack">
<label>Colors <select data-part="theme"><option value="auto">as the system</option><option value="light">light</option><option value="dark">dark</option></select></label>
<label>Four-color deck <input type="checkbox" role="switch" data-part="four"></label>
<label>Speed of the opponents <select data-part="pace"></select></label>
<label>Finish won games by itself <input type="checkbox" role="switch" data-part="finish"></label>
<label>Warn when a position can no longer be won <input type="checkbox" role="switch" data-part="warn"></label></div>
<div class="row end"><button type="button" data-do="close_settings">Done</button></div></dialog>`;

const HELP_ALONE = "Click a card, or drag it to its place.", HELP_TWICE = "A double click sends it to a foundation.", HELP_AT_TABLES = "Click a card or a button. A click on the table ends a pause.";
const KEYS_ALONE = "Keys: arrows move between cards, Enter plays, Escape cancels, U undoes, H gives a hint, N begins a new game.";
const KEYS_AT_TABLES = "Keys: Tab moves between cards and buttons, arrows move between cards, Enter plays, H gives a hint, N begins a new game.";
const FINISHING = 140; // milliseconds between the moves of a game that finishes itself
const SOURCES = /\s*\((?:\d{3}|house)[^)]*\)/g; // short names of sources in the descriptions of options

// Returns a scene without the facts that the page shows above the table.
const onTable = (scene) => ({ ...scene, texts: scene.texts.filter((text) => text.only !== "status") });

export class Page {
  // `send(message)` sends a message to the server; `show(message)` is called with each answer.
  constructor(root, art, send) {
    root.classList.add("parlour");
    root.innerHTML = PAGE;
    this.root = root; this.art = art; this.send = send; this.parts = parts(root);
    this.view = null; this.timer = null;
    this.source = null; // the item whose target the player chooses
    this.last = { time: 0 }; // the last click
    this.pace = new Pace(); this.trick = null;
    this.board = new Board(this.parts.svg, art, {
      click: (item, action) => this.click(item, action), drop: (item, onto) => this.drop(item, onto), targets: (item) => this.findTargets(item),
    });
    for (const [text, ms] of Object.entries(SPEEDS)) this.parts.speed.append(make("option", { value: ms }, text));
    this.parts.speed.value = 500;
    this.parts.pace.append(...Object.keys(PACES).map((name) => make("option", { value: name }, name)));
    this.listen();
    startLook();
    this.parts.theme.value = look.theme; this.parts.four.checked = look.four; this.parts.finish.checked = look.finish;
    this.parts.warn.checked = look.warn; this.parts.pace.value = look.pace;
    watchers.add(() => { if (this.view?.play) this.writeNotice(this.step ? this.hideResult(this.step) : this.view.play); });
    setInterval(() => this.writeFacts(), 1000);
  }

  // ---- messages from the server ----

  show(message) {
    if (!this.isLateJudgment(message)) this.stopWaiting();
    const shows = { games: "fillGames", rules: "showRules", view: "showView", advice: "showAdvice", replay: "showReplay", review: "showReview" };
    if (shows[message.kind]) this[shows[message.kind]](message);
    else { this.stop(); this.refuse(message.text); }
  }

  refuse(text) {
    this.begins = false;
    if (this.parts.chooser.open) this.parts.refused.textContent = text;
    else this.say(text, true);
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
    this.source = null; this.trick = null;
    this.parts.advice.replaceChildren();
    this.parts.numbers.hidden = true;
    clearTimeout(this.finishing);
    const isOther = this.begins || this.isOther(before);
    this.begins = false;
    if (isOther) this.arrive();
    // A page that was just loaded shows only the current scene.
    const steps = before?.session === message.session ? message.play.steps ?? [] : [];
    if (isOther) for (const name of ["actions", "tools"]) this.parts[name].replaceChildren();
    if (isOther || steps.length) this.say("");
    this.pace.run([...this.listSteps(steps, isOther ? null : before.play.scene), () => this.finishView(before)], this.speed);
  }

  // The functions that draw the steps. A verdict about a trick waits until the last card has landed.
  listSteps(steps, scene) {
    const { play } = this.view, drawn = [], last = { scene: play.scene, prompt: "", text: "" };
    for (const step of [...steps, last]) {
      const { trick } = step.scene, lands = trick?.shown && scene && !scene.trick?.shown, before = scene;
      if (lands) {
        const cards = trick.items.map((item) => ({ ...item, mark: item.mark === "wins" ? "" : item.mark })).sort((a, b) => a.x - b.x);
        const items = [...step.scene.items, ...cards];
        const text = step.text.endsWith(trick.text) ? step.text.slice(0, -trick.text.length) : step.text;
        drawn.push(() => { this.drawAll({ text, prompt: "", scene: { ...before, items, trick: null } }); return FLIGHT; });
      }
      if (step !== last) drawn.push(() => { this.drawAll(step); return trick?.shown ? LONG_PAUSE * this.speed : undefined; });
      scene = step.scene;
    }
    return drawn;
  }

  // The content of the page while an earlier step is shown: the result of the last step is still open.
  hideResult({ scene, prompt }) {
    const { play } = this.view;
    const seats = play.over ? play.seats?.map((seat) => ({ ...seat, total: seat.total - seat.net })) : play.seats;
    return { ...play, scene, prompt, seats, over: "", outcome: "", notice: "", best_possible: "" };
  }

  finishView(before) {
    const { play } = this.view;
    this.drawAll();
    this.announce();
    if (play.over) this.stop();
    else if (play.scene.trick?.shown) this.pace.later(() => this.showTrick(false), this.speed);
    if (this.auto) this.timer = setTimeout(() => this.send({ do: "agent_move", agent: this.parts.agent.value }), this.auto.ms);
    else if (this.finishes(before)) this.finishing = setTimeout(() => this.send({ do: "click", action: play.finish }), FINISHING);
  }

  get speed() { return this.auto ? this.auto.ms : PACES[look.pace] ?? PACES.normal; }

  get tableName() { return `${this.view.game} ${this.view.play.rules}`; }

  // A click on the table, Escape, or Enter or the space bar outside of a button goes on at once.
  listenToSkip() {
    const skip = (event) => {
      const { key, target } = event, isTyped = [" ", "Enter"].includes(key) && !target.closest?.("button, select, input, summary, a");
      if (!this.pace.isRunning || !(key === undefined || key === "Escape" || isTyped)) return;
      event.stopPropagation();
      if (isTyped) event.preventDefault();
      this.pace.goOn(this.speed);
    };
    this.parts.svg.addEventListener("pointerdown", skip, { capture: true });
    document.addEventListener("keydown", skip, { capture: true });
  }

  // Shows the last complete trick or clears it; null: as in the scene.
  showTrick(trick) {
    const { play } = this.view;
    this.trick = trick;
    this.board.show(onTable(play.scene), { game: this.tableName, targets: play.targets, selected: play.selected, can: play.can, fit: !play.seats, trick });
    const isShown = trick ?? play.scene.trick?.shown ?? false, button = this.button("last_trick");
    button.hidden = !play.has_tricks;
    button.disabled = !play.scene.trick || Boolean(play.over);
    button.setAttribute("aria-pressed", isShown);
    this.writePrompt(trick ? "Last trick" : play.over || play.prompt);
    this.parts.prompt.className = `prompt ${trick ? "" : play.outcome}`;
  }

  writePrompt(text) {
    this.parts.prompt.textContent = this.parts.prompt.title = spell(text);
  }

  isOther(before) { return before?.play?.source !== this.view.play.source || before.game !== this.view.game || before.play.rules !== this.view.play.rules; }

  // A game finishes itself after a move, not after an undo.
  finishes(before) {
    const { play } = this.view;
    return look.finish && Number.isInteger(play.finish) && before?.play && play.moves > before.play.moves;
  }

  // Shows a game that has just begun, with its explanation if the player has not read it.
  arrive() {
    const { game, title, play, settings } = this.view;
    if (this.parts.chooser.open) { this.parts.chooser.close(); this.comesToTable = true; }
    this.showMenu(false);
    this.fillChosen(settings);
    this.parts.title.textContent = title;
    this.parts.explanation.replaceChildren(...play.how_to_play.map((text) => {
      const [, head, rest] = text.match(/^(Aim|Cards|Points): (.*)$/) ?? [null, "", text];
      return head ? make("p", {}, make("b", {}, head), ` ${rest[0].toUpperCase()}${rest.slice(1)}`) : make("p", {}, text);
    }));
    this.parts.guide.open = !look.seen.includes(game);
  }

  announce() {
    const { play } = this.view;
    const lines = [...(play.events ?? []), play.own_best].filter(Boolean);
    this.say(lines.map((text) => (/[.!?]$/.test(text) ? text : `${text}.`)).join(" "));
  }

  say(text, isRefusal = false) {
    const { said } = this.parts;
    said.textContent = said.title = spell(text);
    said.classList.toggle("refused", isRefusal);
    const sentences = spell(text).split(/(?<=[.!?]) /);
    // The latest sentences stay visible. The whole text is in the title.
    while (said.scrollHeight > said.clientHeight && sentences.length > 1) {
      sentences.shift();
      said.textContent = `… ${sentences.join(" ")}`;
    }
  }

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

  lose() { this.stop(); this.stopWaiting(); this.say(GONE, true); }

  // ---- choosing a game ----

  get fields() { return this.parts.choose.elements; }

  get chosenVariant() { return this.games.get(this.fields.game.value).variants.find((one) => one.name === this.fields.variant.value); }

  fillGames({ games, replays = [] }) {
    const isFirst = !this.games;
    this.games = new Map(games.map((game) => [game.name, game]));
    if (isFirst) {
      this.fields.game.replaceChildren(...games.map((one) => make("option", { value: one.name }, one.title)));
      this.fillVariants();
    }
    this.parts.recorded.hidden = !replays.length;
    this.parts.replays.replaceChildren(...replays.map((text, number) => make("option", { value: number }, `${number + 1}  ${text}`)));
  }

  fillVariants() {
    const { game, variant } = this.fields, found = this.games.get(game.value);
    variant.replaceChildren(...found.variants.map((one) => make("option", { value: one.name }, one.name)));
    variant.value = found.default;
    this.parts.options.replaceChildren(...found.options.map((option) => this.makeOption(option)));
    this.fillVariant();
  }

  makeOption({ name, label, doc, values, choices }) {
    const field = `option-${name}`;
    let control;
    if (choices.map((one) => one.value).join() === "no,yes") control = make("input", { type: "checkbox", role: "switch", name: field });
    else if (choices.length) control = make("select", { name: field }, ...choices.map((one) => make("option", { value: one.value }, one.text)));
    else {
      const range = values.match(/^(\d+)–(\d+)$/);
      control = range ? make("input", { name: field, type: "number", min: range[1], max: range[2], step: 1, required: "" })
        : make("input", { name: field, required: "", pattern: `-?\\d+(,-?\\d+){${Number.parseInt(values, 10) - 1}}`, title: values });
    }
    const help = make("small", { id: `help-${name}` }, `${doc[0].toUpperCase()}${doc.slice(1)}.`.replaceAll(SOURCES, ""));
    control.setAttribute("aria-describedby", help.id);
    control.title ||= `Name in commands and code: ${name}`;
    return make("div", {}, make("label", {}, label, " ", control), help);
  }

  fillVariant() {
    const one = this.chosenVariant;
    this.parts.note.textContent = one.note;
    for (const [name, value] of Object.entries(one.values)) this.setOption(name, value);
    for (const part of [this.fields.seat, this.parts.opponents]) part.replaceChildren();
    this.fillChoice(one);
  }

  // What depends on the options, too: the seats, the opponents and whether there is a solver.
  fillChoice(facts) {
    const { players, agents, has_solver: hasSolver } = facts, seat = this.fields.seat.value;
    const chosen = [...this.parts.opponents.querySelectorAll("select")].map((one) => one.value);
    this.choice = facts;
    this.parts.refused.textContent = "";
    this.parts.winnable.hidden = !hasSolver;
    this.fields.winnable.disabled = !hasSolver;
    this.parts.several.hidden = players < 2;
    this.fields.seat.replaceChildren(...Array.from({ length: players }, (_, k) => make("option", { value: k }, `seat ${k}`)));
    if (seat && Number(seat) < players) this.fields.seat.value = seat;
    this.parts.opponents.replaceChildren(...Array.from({ length: Math.max(0, players - 1) }, (_, k) => {
      const choice = make("select", { name: `opponent-${k}` }, make("option", { value: "" }, "standard"), ...agents.map(makeAgent));
      if (agents.some(({ spec }) => spec === chosen[k])) choice.value = chosen[k];
      return make("label", {}, make("span"), " ", choice);
    }));
    this.nameSeats();
  }

  // Asks the server about the rules in the form.
  askRules() {
    if (this.parts.options.querySelector(":invalid")) return;
    const { game, variant, options } = this.readRules();
    this.asked = JSON.stringify({ game, variant, options });
    this.send({ do: "rules", game, variant, options });
  }

  showRules({ game, variant, options, ...facts }) {
    if (this.asked === JSON.stringify({ game, variant, options })) this.fillChoice(facts);
  }

  // The opponents have the seats after the player's, in the direction of play.
  nameSeats() {
    const { players, sides } = this.choice, own = Number(this.fields.seat.value);
    [...this.parts.opponents.children].forEach((label, k) => {
      const seat = (own + 1 + k) % players;
      label.firstChild.textContent = `Seat ${seat}${sides[seat] === sides[own] ? " (partner)" : ""}`;
    });
  }

  setOption(name, value) {
    const control = this.fields[`option-${name}`];
    if (control.type === "checkbox") control.checked = value === "yes";
    else control.value = value;
  }

  readOption(name) {
    const control = this.fields[`option-${name}`];
    return control.type === "checkbox" ? (control.checked ? "yes" : "no") : control.value;
  }

  // Fills the form with the settings of the running game.
  fillChosen({ game, variant, options, deal, winnable, seat, opponents }) {
    this.fields.game.value = game;
    this.fillVariants();
    this.fields.variant.value = variant;
    this.fillVariant();
    for (const [name, value] of Object.entries(options)) this.setOption(name, value);
    this.fillChoice(this.view.choice);
    this.fields.deal.value = deal ?? "";
    this.fields.winnable.checked = winnable;
    if (seat !== null) { this.fields.seat.value = seat; this.nameSeats(); }
    opponents.forEach((name, k) => { const field = this.fields[`opponent-${k}`]; if (field) field.value = name; });
  }

  // The rules in the form: game, variant, and the options that differ from the variant.
  readRules() {
    const { name: variant, values } = this.chosenVariant, options = {};
    for (const [name, value] of Object.entries(values)) if (this.readOption(name) !== value) options[name] = this.readOption(name);
    return { game: this.fields.game.value, variant, options };
  }

  startChosen() {
    const { fields, choice: one } = this;
    const several = one.players > 1, deal = fields.deal.value === "" ? null : Number(fields.deal.value);
    const chosen = Array.from({ length: several ? one.players - 1 : 0 }, (_, k) => fields[`opponent-${k}`].value);
    this.parts.refused.textContent = "";
    this.begin({ ...this.readRules(), deal, winnable: one.has_solver && deal === null && fields.winnable.checked,
      seat: several ? Number(fields.seat.value) : null, opponents: this.nameOpponents(chosen) });
  }

  // Opponents repeat in order, so defaults may be left out only if all seats have them.
  nameOpponents(chosen) { return chosen.some(Boolean) ? chosen.map((name) => name || "greedy") : []; }

  begin(settings) {
    this.stop();
    this.closeReplay();
    this.begins = true;
    this.send({ do: "new", ...settings });
  }

  startNext() {
    const { settings } = this.view;
    this.begin({ ...settings, deal: settings.deal === null ? null : settings.deal + 1 });
  }

  // ---- drawing ----

  // `step` is an earlier step of the game; null: draws the current position.
  drawAll(step = null) {
    if (!this.view?.play) return;
    const play = step ? this.hideResult(step) : this.view.play, alone = !play.seats, { activeElement } = document;
    this.hadFocus ||= this.root.contains(activeElement) && activeElement !== this.root;
    this.step = step;
    this.writeFacts();
    this.parts.play.classList.toggle("seated", !alone);
    this.parts.play.classList.toggle("warns", look.warn && play.chances !== undefined);
    this.parts.actions.classList.toggle("waiting", Boolean(step));
    if (step) for (const node of this.parts.actions.children) node.disabled = true;
    else this.fillActions(play);
    this.drawEnding(play);
    if (step) this.board.show(onTable(step.scene), { game: this.tableName, fit: alone });
    else this.showTrick(this.trick);
    if (step?.text) this.say(step.text);
    if (step) this.writePrompt(play.prompt);
    this.writeNotice(play);
    this.writeResults(play);
    this.fillAgents();
    const hasFoundations = play.scene.items.some((item) => item.place?.startsWith("foundation-"));
    const help = [alone ? HELP_ALONE : HELP_AT_TABLES, ...(hasFoundations ? [HELP_TWICE] : [])].join(" ");
    this.parts.help.replaceChildren(`${spell(help)} `, make("span", { class: "keys" }, alone ? KEYS_ALONE : KEYS_AT_TABLES));
    this.button("take_back").hidden = !alone;
    this.button("take_back").disabled = !play.can_take_back;
    this.button("restart").disabled = Boolean(step) || !play.can_restart;
    this.button("review").disabled = !play.over;
    this.button("advise").disabled = Boolean(play.over);
    this.button("auto").disabled = Boolean(play.over || this.auto);
    if (step) {
      const button = this.button("last_trick");
      button.hidden = !play.has_tricks;
      button.setAttribute("aria-pressed", "false");
      button.disabled = this.button("advise").disabled = true;
      return;
    }
    const isLost = document.activeElement === document.body || document.activeElement.disabled;
    if ((this.comesToTable || (this.hadFocus && isLost)) && !this.board.focus()) {
      (this.parts.actions.querySelector(":enabled") ?? this.button(play.seats ? "next_hand" : "next_deal")).focus({ preventScroll: true });
    }
    this.hadFocus = this.comesToTable = false;
  }

  // Each game keeps the agent that was chosen for it. Otherwise, the first agent of the list is the best one.
  fillAgents() {
    const { agents, game } = this.view, chosen = look.agents[game];
    this.parts.agent.replaceChildren(...agents.map(makeAgent));
    if (agents.some(({ spec }) => spec === chosen)) this.parts.agent.value = chosen;
  }

  drawEnding(play) {
    const { ending, over } = this.parts;
    ending.hidden = !play.over;
    ending.className = `ending ${play.outcome}`;
    over.textContent = play.best_possible;
    over.hidden = !play.best_possible;
    this.button("next_deal").hidden = Boolean(play.seats);
    this.button("next_hand").hidden = !play.seats;
  }

  button(name) { return this.root.querySelector(`[data-do=${name}]`); }

  writeNotice(play) {
    this.parts.notice.textContent = this.parts.notice.title = look.warn && play.notice ? play.notice : "";
    this.button("deal_winnable").hidden = !look.warn || play.chances?.deal !== false || play.moves > 0 || this.view.settings.deal !== null;
  }

  writeFacts() {
    const play = this.view?.play;
    if (!play) return;
    const status = (this.step ?? play).scene.texts.filter((text) => text.only === "status").map((text) => text.text);
    const facts = [this.view.title, play.source.replace(/^deal (\d+), deal set .*/, "deal number $1"), ...status];
    if (play.moves !== undefined) {
      if (!status.length) facts.push(`moves ${play.moves}`);
      facts.push(clock(play.seconds + (play.over ? 0 : (Date.now() - this.since) / 1000)));
    }
    if (play.helped) facts.push(play.helped);
    if (play.taken_back) facts.push("with undo");
    if (play.is_repeated) facts.push("played again");
    this.parts.facts.title = [...facts, play.rules].join(" · ");
    const now = [...this.parts.facts.children];
    while (now.length < facts.length) { now.push(make("span")); this.parts.facts.append(now.at(-1), " "); }
    if (now[0].dataset.game !== this.tableName) {
      now[0].dataset.game = this.tableName;
      now[0].replaceChildren(this.view.title, make("span", { class: "rules" }, ` · ${play.rules}`));
    }
    facts.forEach((text, k) => { if (k && now[k].textContent !== text) now[k].textContent = text; });
    now.slice(facts.length).forEach((node) => node.remove());
  }

  // The actions without a card: below the cards of a table with several seats, otherwise beside Undo and Hint.
  fillActions(play) {
    // In a solitaire, the stock deals; buttons are for what no card or pile does.
    const onTable = new Set(play.seats ? [] : Object.values(play.targets));
    const offered = play.scene.buttons.filter((b) => play.seats || (play.can.includes(b.action) && !onTable.has(b.action)));
    const found = new Map(offered.map((b) => [b.action, [b.action, b.text, play.can.includes(b.action)]]));
    for (const one of play.buttons) if (!found.has(one.action)) found.set(one.action, [one.action, one.text, true]);
    fillActions(this.parts[play.seats ? "actions" : "tools"], play.over ? [] : [...found.values()], (action) => { this.stop(); this.send({ do: "click", action }); });
  }

  writeResults(play) {
    const { results, unsaved, tally, seats } = this.parts, { played, won, score, total } = this.view.tally ?? {};
    const count = played ? `${played} played, ${won} won${score === null ? "" : `, best score ${score}`}` : "";
    unsaved.textContent = this.view.not_saved;
    // A game that begins with a stake, such as Vegas scoring, has a balance of all games.
    const balance = played && play.has_balance ? `Balance of all games: ${total}` : "";
    tally.textContent = [count, balance, play.best && `Your best: ${play.best}`].filter(Boolean).join(". ");
    seats.hidden = !play.seats;
    results.hidden = !(play.seats || unsaved.textContent || tally.textContent);
    if (!play.seats) return;
    this.parts.seats.replaceChildren(make("caption", {}, `${play.unit[0].toUpperCase()}${play.unit.slice(1)}, hand ${play.hand}`), line("th", "seat", "player", "hand", "total"),
      ...play.seats.map((seat, k) => line("td", k, seat.you ? "you" : seat.partner ? `${seat.name}, partner` : seat.name, play.over ? seat.net : "–", seat.total)));
  }

  // ---- keys, clicks and drags ----

  onKey(event) {
    if (!this.parts.replay.hidden || this.root.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input:not([type=checkbox]), select, textarea")) return;
    if (this.board.onKey(event)) return;
    const key = event.key.toLowerCase();
    if (key === "u") this.button("take_back").click();
    else if (key === "h") this.button("advise").click();
    else if (key === "n") this.button("choose").click();
    else if (event.key === "Escape") this.cancel();
    else return;
    event.preventDefault();
  }

  cancel() {
    const selected = this.view?.play?.selected ?? [], { guide } = this.parts;
    if (guide.open && (guide.contains(document.activeElement) || !(this.source || selected.length))) {
      const hadFocus = guide.contains(document.activeElement);
      this.foldGuide();
      if (hadFocus) this.button("learn").focus();
    } else if (this.source) this.choose(null);
    else selected.forEach((action) => this.send({ do: "click", action }));
  }

  // The ids of the items onto which an item can be moved: the top cards of places, or its partners.
  findTargets(item) {
    const { play } = this.view, tops = new Map(play.scene.items.map((one) => [one.place, one.id]));
    const places = Object.keys(item.drops).map((place) => tops.get(place));
    const partners = play.partners?.[play.targets[item.id]] ?? [];
    return [...places, ...Object.keys(play.targets).filter((id) => partners.includes(play.targets[id]))];
  }

  // A card with several places waits for the player to choose one.
  click(item, action) {
    const ways = [...new Set(Object.values(item.drops))], { last } = this, now = Date.now();
    const isDouble = now - last.time < TWICE && last.id === item.id;
    this.last = { time: now, id: item.id };
    this.stop();
    const up = Object.keys(item.drops).find((place) => place.startsWith("foundation"));
    if (isDouble && up) this.play(item.drops[up]);
    else if (now - (this.sent ?? 0) < TWICE && last.id !== item.id && last.place === `${item.x} ${item.y}`) return; // the second click of a double click
    else if (this.source && this.source.id !== item.id && item.place in this.source.drops) this.play(this.source.drops[item.place]);
    else if (this.source?.id === item.id) this.choose(null);
    else if (ways.length > 1) this.choose(item);
    else if (ways.length === 1) this.play(ways[0]);
    else if (action !== undefined) { this.choose(null); this.send({ do: "click", action }); }
    else this.askWhy(this.source ?? item, this.source ? item : null);
    this.last.place = `${item.x} ${item.y}`;
  }

  play(action) {
    this.source = null;
    this.sent = Date.now();
    this.send({ do: "click", action });
  }

  choose(item) {
    if (!item && !this.source) return;
    this.source = item;
    this.board.light(item ? [item.id, ...this.findTargets(item)] : []);
    this.writePrompt(item ? `Choose a place for the ${item.label}.` : this.view.play.prompt);
  }

  askWhy(item, onto = null) {
    this.choose(null);
    this.send({ do: "why", item: item.id, onto: onto?.id ?? null });
  }

  drop(item, onto) {
    const { targets } = this.view.play, drops = item.drops[onto.place];
    const start = targets[item.id], action = targets[onto.id];
    this.stop();
    if (drops !== undefined) this.play(drops);
    else if (this.findTargets(item).includes(onto.id)) this.send({ do: "click", action, start });
    else if (item.place !== onto.place) this.askWhy(item, onto);
  }

  showMenu(isOpen) {
    this.parts.layout.classList.toggle("menu", isOpen);
    this.button("menu").setAttribute("aria-expanded", isOpen);
    this.button("menu").textContent = isOpen ? "Table" : "Menu";
    if (!isOpen) this.board.redraw();
  }

  foldGuide() {
    if (!look.seen.includes(this.view.game)) setLook({ seen: [...look.seen, this.view.game] });
    this.parts.guide.open = false;
  }

  listen() {
    const { choose, chooser, settings, guide } = this.parts;
    const act = {
      ...Object.fromEntries(["take_back", "restart", "next_hand", "review"].map((name) => [name, () => { this.stop(); this.send({ do: name }); }])),
      next_deal: () => this.startNext(), deal_winnable: () => this.begin({ ...this.view.settings, winnable: true }), same_deal: () => this.button("restart").click(), look_back: () => this.button("review").click(),
      replay: () => { this.stop(); this.send({ do: "replay", number: Number(this.parts.replays.value) }); },
      advise: () => { this.showMenu(false); this.send({ do: "advise", agent: this.parts.agent.value }); },
      auto: () => { this.showMenu(false); this.playOn(); }, stop: () => this.stop(),
      choose: () => { this.parts.refused.textContent = ""; chooser.showModal(); }, cancel: () => chooser.close(),
      settings: () => settings.showModal(), close_settings: () => settings.close(),
      learn: () => { this.showMenu(false); guide.open = true; guide.querySelector("summary").focus(); },
      last_trick: () => this.showTrick(this.button("last_trick").ariaPressed !== "true"),
      fold: () => this.foldGuide(), menu: () => this.showMenu(!this.parts.layout.classList.contains("menu")),
    };
    for (const [name, way] of Object.entries(act)) this.button(name).addEventListener("click", way);
    this.fields.game.addEventListener("change", () => this.fillVariants());
    this.fields.seat.addEventListener("change", () => this.nameSeats());
    this.fields.variant.addEventListener("change", () => this.fillVariant());
    this.parts.options.addEventListener("change", () => this.askRules());
    choose.addEventListener("submit", (event) => { event.preventDefault(); this.startChosen(); });
    guide.addEventListener("toggle", () => { if (!guide.open && this.view?.play) this.foldGuide(); this.board.redraw(); });
    this.parts.agent.addEventListener("change", () => setLook({ agents: { ...look.agents, [this.view.game]: this.parts.agent.value } }));
    this.parts.theme.addEventListener("change", () => setLook({ theme: this.parts.theme.value }));
    this.parts.four.addEventListener("change", () => setLook({ four: this.parts.four.checked }));
    this.parts.pace.addEventListener("change", () => setLook({ pace: this.parts.pace.value }));
    this.parts.finish.addEventListener("change", () => setLook({ finish: this.parts.finish.checked }));
    this.parts.warn.addEventListener("change", () => setLook({ warn: this.parts.warn.checked }));
    document.addEventListener("keydown", (event) => this.onKey(event));
    this.listenToSkip();
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

  playOn() {
    this.auto = { ms: Number(this.parts.speed.value) };
    this.button("auto").disabled = true;
    this.button("stop").hidden = false;
    this.button("stop").focus({ preventScroll: true });
    this.parts.play.scrollIntoView({ block: "nearest" });
    this.send({ do: "agent_move", agent: this.parts.agent.value });
  }

  stop() {
    clearTimeout(this.timer);
    clearTimeout(this.finishing);
    if (this.auto && this.view?.play) this.button("auto").disabled = Boolean(this.view.play.over);
    this.auto = null;
    const button = this.button("stop"), hadFocus = button === document.activeElement;
    button.hidden = true;
    if (hadFocus && !this.board.focus()) this.button("advise").focus({ preventScroll: true });
  }

  showAdvice(advice) {
    this.view.used = advice.used;
    if (advice.number !== this.view.number) return;
    const names = Object.keys(advice.actions[0]).filter((name) => !["action", "label", "text", "word", "played"].includes(name));
    const by = (row) => row.value ?? row.policy ?? row.probability ?? 0;
    const rows = [...advice.actions].sort((a, b) => by(b) - by(a) || b.played - a.played).slice(0, SHOWN);
    const facts = [advice.agent, advice.state_value !== undefined && `position value ${short(advice.state_value)}`, advice.unit && `values: ${advice.unit}`, advice.sees_all && "sees the hidden cards"];
    this.parts.numbers.hidden = false;
    this.parts.advice.replaceChildren(
      make("p", {}, facts.filter(Boolean).join("; ")),
      make("table", {}, line("th", "move", ...names), ...rows.map((row) => {
        const node = line("td", spell(row.text), ...names.map((name) => short(row[name])));
        if (row.played) node.className = "played";
        return node;
      })));
    this.say(`Suggestion: ${advice.move}${this.rate(advice)}.`);
    this.board.point(advice.arrow);
  }

  // The chance behind a suggestion, as a share of wins or as the share of the agent's choices.
  rate({ unit, actions }) {
    if (actions.length === 1) return "";
    const best = actions.find((row) => row.played), percent = (share) => `${Math.round(100 * share)} %`;
    if (/won|win/.test(unit) && best?.value >= 0 && best.value <= 1) return `, ${percent(best.value)} to win`;
    return best?.policy === undefined ? "" : `, ${percent(best.policy)} sure`;
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
  globalThis.parlour = page; // for tests and the console
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
