// A heat map: a matrix as coloured cells. It is one tab stop; the arrow keys move a cursor inside; pointing, tapping
// and the cursor each write the cell's number into a readout. A map with too many cells for numbers can be enlarged.
//
// heatMap({
//   name,             what it shows, for the screen reader
//   matrix,           { rows, cols, at(row, col) }
//   rows, cols,       axes, see axes.js
//   scale,            see colours.js
//   blocked,          (row, col) => reasons, [] for none: these cells are hatched   (optional)
//   value,            (row, col) => text for the readout instead of the number      (optional)
//   short,            (row, col) => text to be written in the cell instead of the number     (optional)
//   square,           cells as high as wide                                         (optional)
//   readout,          an element which several maps share                           (optional)
//   group,            a list that the map joins, for a button which several share   (optional)
//   fade,             false: rows of padding do not step back                       (optional)
//   plain,            true: neither legend nor button; whoever calls shows them     (optional)
// })

function heatMap(options) {
  const map = { fade: true, ...options, enlarged: false, cursor: null, hover: null, layout: null };
  map.canvas = element("canvas", { "aria-hidden": "true" });
  map.sheet = element("div", { class: "sheet" }, map.canvas);
  map.view = element(
    "div",
    {
      class: "heat-map-view",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "heat map",
      "aria-label": `${map.name}, ${map.matrix.rows} rows, ${map.matrix.cols} columns. Arrow keys move the cursor.`,
    },
    map.sheet,
  );
  map.ownReadout = !options.readout;
  map.readout ??= makeReadout();
  listen(map);
  options.group?.push(map);
  new ResizeObserver(() => fit(map)).observe(map.view);
  const foot = () => element("div", { class: "heat-map-foot" }, scaleLegend(map.scale), enlargeButton([map]));
  return element(
    "div",
    { class: "heat-map" },
    map.view,
    map.plain ? null : foot(),
    map.ownReadout ? map.readout : null,
  );
}

const READOUT_HINT = "Point, tap, or move with the arrow keys.";

const makeReadout = () => element("output", { class: "readout", "aria-live": "polite" }, READOUT_HINT);

/// For one map, or for several side by side, which then stand below each other.
function enlargeButton(maps) {
  const [first] = maps;
  if (maps.length === 1 && first.matrix.cols <= 12 && first.matrix.rows <= 40) return null;
  const button = element("button", { type: "button", class: "quiet", "aria-pressed": "false" }, "Show the numbers");
  button.addEventListener("click", () => {
    const enlarged = !first.enlarged;
    button.setAttribute("aria-pressed", String(enlarged));
    button.textContent = enlarged ? "Fit to the width" : "Show the numbers";
    first.view.closest(".side-by-side")?.classList.toggle("enlarged", enlarged);
    for (const map of maps) {
      map.enlarged = enlarged;
      map.view.classList.toggle("enlarged", enlarged);
      fit(map);
    }
  });
  return button;
}

/// Lays the map out for the width it has, and draws it.
function fit(map) {
  const width = map.view.clientWidth;
  if (!width) return;
  const palette = readPalette();
  map.layout = layOut(map, width, palette);
  const { total } = map.layout;
  const needsBar = map.enlarged && total.width > width;
  map.sheet.style.width = `${map.enlarged ? total.width : width}px`;
  map.sheet.style.height = `${total.height}px`;
  map.view.style.height = map.enlarged ? `min(${total.height + (needsBar ? 20 : 2)}px, 75vh)` : "";
  draw(map, palette);
}

/// The words for one cell: its row, its column, its number, and why it is blocked.
function cellText(map, row, col) {
  const places = [map.rows.long(row), map.cols.long(col)].filter((text) => text !== "");
  const reason = reasonWords(map.blocked?.(row, col) ?? []);
  const number = () => formatNumber(map.matrix.at(row, col), map.matrix.digits);
  const value = map.value?.(row, col) ?? number() + (reason ? `, blocked: ${reason}` : "");
  return { place: places.join(" · "), value };
}

function writeReadout(map) {
  const cell = map.hover ?? map.cursor;
  map.readout.classList.toggle("speaking", cell !== null);
  if (!cell) return fill(map.readout, READOUT_HINT);
  const { place, value } = cellText(map, cell.row, cell.col);
  const title = map.ownReadout ? "" : `${map.name} · `;
  fill(
    map.readout,
    element("span", {}, title + place, place ? ": " : ""),
    element("strong", { class: "value" }, value),
  );
}
