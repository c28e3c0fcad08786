// A heat map: a matrix as coloured cells. It is one tab stop, and the arrow keys move a cursor in it. The readout shows
// the number of the cell that you point at, tap, or reach with the cursor. A map too dense for numbers can be enlarged.
//
// heatMap({
//   name,             what it shows, for screen readers
//   matrix,           { rows, cols, at(row, col) }
//   rows, cols,       axes, see 05_axes.js
//   scale,            see 07_colours.js
//   blocked,          (row, col) => why the cell is blocked, [] if it is not; blocked cells are hatched (optional)
//   value,            (row, col) => text for the readout instead of the number      (optional)
//   short,            (row, col) => text for the cell instead of the number         (optional)
//   square,           true: cells are as high as they are wide                      (optional)
//   readout,          an element that several maps share                            (optional)
//   group,            a list to add the map to, for a button that several share     (optional)
//   fade,             false: rows of padding are not faded                          (optional)
//   plain,            true: no legend and no button; the caller adds them           (optional)
// })

function heatMap(options) {
  const map = { fade: true, ...options, enlarged: false, cursor: null, hover: null, layout: null };
  const { rows, cols } = map.matrix;
  map.canvas = element("canvas", { "aria-hidden": "true" });
  map.sheet = element("div", { class: "sheet" }, map.canvas);
  map.view = element(
    "div",
    {
      class: "heat-map-view",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "heat map",
      "aria-label": `${map.name}, ${plural(rows, "row")}, ${plural(cols, "column")}. The arrow keys move the cursor.`,
    },
    map.sheet,
  );
  map.ownReadout = !options.readout;
  map.readout ??= makeReadout();
  listen(map);
  options.group?.push(map);
  new ResizeObserver(() => fit(map)).observe(map.view);
  return element(
    "div",
    { class: "heat-map" },
    map.view,
    map.plain ? null : element("div", { class: "heat-map-foot" }, scaleLegend(map.scale), enlargeButton([map])),
    map.ownReadout ? map.readout : null,
  );
}

const READOUT_HINT = "Point at a cell, tap it, or use the arrow keys.";

const makeReadout = () => element("output", { class: "readout", "aria-live": "polite" }, READOUT_HINT);

/// The button of one map, or of several side by side. It stacks them when it enlarges them.
function enlargeButton(maps) {
  const [first] = maps;
  if (maps.length === 1 && first.matrix.cols <= 12 && first.matrix.rows <= 40) return null;
  const button = element("button", { type: "button", class: "quiet", "aria-pressed": "false" }, "Show numbers");
  button.addEventListener("click", () => {
    const enlarged = !first.enlarged;
    button.setAttribute("aria-pressed", String(enlarged));
    button.textContent = enlarged ? "Fit to width" : "Show numbers";
    first.view.closest(".side-by-side")?.classList.toggle("enlarged", enlarged);
    for (const map of maps) {
      map.enlarged = enlarged;
      map.view.classList.toggle("enlarged", enlarged);
      fit(map);
    }
  });
  return button;
}

/// Lays the map out for its current width and draws it.
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

/// The text for one cell: its row, its column, its number, and why it is blocked.
function cellText(map, row, col) {
  const places = [map.rows.long(row), map.cols.long(col)].filter((text) => text !== "");
  const reason = reasonText(map.blocked?.(row, col) ?? []);
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
