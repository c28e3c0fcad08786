// The layout of a heat map: how wide the labels are, how large a cell is, and which cell is under the pointer.

const NUMBERS_FIT = { width: 34, height: 17 };
const measuring = document.createElement("canvas").getContext("2d");

function widestLabel(axis, count, palette) {
  measuring.font = `${palette.fontSize}px ${palette.font}`;
  if (!axis.tokens) return measuring.measureText(axis.short(count - 1)).width;
  let widest = 0;
  for (let i = 0; i < count; ++i) widest = Math.max(widest, measuring.measureText(axis.short(i)).width);
  return widest;
}

/// The height of a cell: its width in a square map, a line of text for a token, otherwise small enough for all rows.
function cellHeight(map, cellWidth, palette) {
  if (map.enlarged) return Math.ceil(palette.fontSize * 1.9);
  const line = palette.fontSize * 1.45;
  if (map.square) return Math.max(Math.min(cellWidth, 46), palette.fontSize * 1.2);
  if (map.matrix.rows <= 40) return map.matrix.rows === 1 ? 28 : Math.max(line, Math.min(cellWidth, 24));
  if (map.rows.tokens && map.matrix.rows <= 64) return line;
  return Math.max(2, 440 / map.matrix.rows);
}

function layOut(map, width, palette) {
  const { rows, cols } = map.matrix;
  const room = Math.min(width * 0.3, 150);
  const gutter = rows === 1 && !map.rows.tokens ? 1 : Math.min(widestLabel(map.rows, rows, palette), room) + 10;
  const columnLabel = widestLabel(map.cols, cols, palette);
  const maxWidth = map.square ? 46 : 64;
  const cellWidth = map.enlarged ? palette.fontSize * 3.9 : Math.min(maxWidth, (width - gutter - 2) / cols);
  const upright = map.cols.tokens && columnLabel > cellWidth - 4;
  const header = cols === 1 ? 1 : upright ? Math.min(columnLabel, 110) + 10 : palette.fontSize + 8;
  const height = cellHeight(map, cellWidth, palette);
  return {
    gutter,
    header,
    upright,
    cellWidth,
    cellHeight: height,
    total: { width: Math.ceil(gutter + cols * cellWidth + 2), height: Math.ceil(header + rows * height + 2) },
  };
}

/// The cell under the pointer, or null.
function cellAt(map, event) {
  if (!map.layout) return null;
  const box = map.view.getBoundingClientRect();
  const { gutter, header, cellWidth, cellHeight } = map.layout;
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  if (x < gutter || y < header) return null;
  const col = Math.floor((x + map.view.scrollLeft - gutter) / cellWidth);
  const row = Math.floor((y + map.view.scrollTop - header) / cellHeight);
  return row < map.matrix.rows && col < map.matrix.cols ? { row, col } : null;
}

/// Scrolls an enlarged map so that the cursor's cell is visible.
function reveal(map, { row, col }) {
  const { gutter, header, cellWidth, cellHeight } = map.layout;
  const { view } = map;
  const [x, y] = [col * cellWidth, row * cellHeight];
  const [roomX, roomY] = [view.clientWidth - gutter - cellWidth, view.clientHeight - header - cellHeight];
  view.scrollLeft = Math.max(Math.min(view.scrollLeft, x), x - roomX);
  view.scrollTop = Math.max(Math.min(view.scrollTop, y), y - roomY);
}

/// How many columns (rows) apart labels must be so that they do not touch.
function labelStride(count, cellSize, labelSize) {
  const stride = [1, 2, 4, 8, 16, 32, 64, 128, 256].find((step) => step * cellSize >= labelSize);
  return stride ?? count;
}
