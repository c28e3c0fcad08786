// Pointing at the cells of a heat map, and moving its cursor with the arrow keys.

function listen(map) {
  const { view } = map;
  const point = (event) => move(map, "hover", cellAt(map, event));
  view.addEventListener("pointermove", (event) => event.pointerType !== "touch" && point(event));
  view.addEventListener("pointerleave", () => move(map, "hover", null));
  view.addEventListener("click", (event) => {
    const cell = cellAt(map, event);
    if (cell) move(map, "cursor", cell);
  });
  view.addEventListener("focus", () => {
    if (!map.cursor && view.matches(":focus-visible")) move(map, "cursor", { row: 0, col: 0 });
    else writeReadout(map);
  });
  view.addEventListener("keydown", (event) => onKey(map, event));
  view.addEventListener("scroll", () => map.enlarged && draw(map));
}

function move(map, which, cell) {
  if (map[which]?.row === cell?.row && map[which]?.col === cell?.col) return;
  map[which] = cell;
  if (which === "cursor" && cell && map.enlarged) reveal(map, cell);
  if (map.layout) {
    cancelAnimationFrame(map.frame);
    map.frame = requestAnimationFrame(() => draw(map)); // at most one drawing per frame
  }
  writeReadout(map);
}

/// The cell that a key moves the cursor to, or null if the key does not move it.
function nextCell({ row, col }, { rows, cols }, event) {
  const page = Math.max(1, Math.round(rows / 8));
  const jump = event.ctrlKey || event.metaKey;
  const targets = {
    ArrowLeft: [row, jump ? 0 : col - 1],
    ArrowRight: [row, jump ? cols - 1 : col + 1],
    ArrowUp: [jump ? 0 : row - 1, col],
    ArrowDown: [jump ? rows - 1 : row + 1, col],
    Home: [jump ? 0 : row, 0],
    End: [jump ? rows - 1 : row, cols - 1],
    PageUp: [row - page, col],
    PageDown: [row + page, col],
  };
  const target = targets[event.key];
  if (!target || event.altKey) return null;
  const within = (place, count) => Math.max(0, Math.min(count - 1, place));
  return { row: within(target[0], rows), col: within(target[1], cols) };
}

function onKey(map, event) {
  const cell = nextCell(map.cursor ?? { row: 0, col: -1 }, map.matrix, event);
  if (!cell) return;
  event.preventDefault();
  event.stopPropagation();
  map.hover = null;
  move(map, "cursor", cell);
}
