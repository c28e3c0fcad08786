// Draws a heat map on its canvas. The canvas is as large as the visible part. When an enlarged map scrolls, it is
// redrawn, and its labels stay in place.

function draw(map, palette = readPalette()) {
  const { layout, canvas, view } = map;
  const width = map.enlarged ? view.clientWidth : layout.total.width;
  const height = map.enlarged ? Math.min(view.clientHeight, layout.total.height) : layout.total.height;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.textBaseline = "middle";
  const pen = { context, palette, width, height, ...layout, left: view.scrollLeft, top: view.scrollTop };
  const shown = shownCells(map, pen);
  context.save();
  context.beginPath();
  context.rect(layout.gutter, layout.header, width - layout.gutter, height - layout.header);
  context.clip();
  drawCells(map, pen, shown);
  drawCursor(map, pen);
  context.restore();
  drawRowLabels(map, pen, shown);
  drawColumnLabels(map, pen, shown);
}

/// The visible rows and columns, [first, one past the last].
function shownCells(map, { gutter, header, width, height, left, top, cellWidth, cellHeight }) {
  const { rows, cols } = map.matrix;
  return {
    rows: [Math.floor(top / cellHeight), Math.min(rows, Math.ceil((top + height - header) / cellHeight))],
    cols: [Math.floor(left / cellWidth), Math.min(cols, Math.ceil((left + width - gutter) / cellWidth))],
  };
}

/// Left, top, width and height of a cell in whole pixels, so that no seams show.
function cellBox({ gutter, header, cellWidth, cellHeight, left, top }, row, col) {
  const [x, y] = [gutter - left, header - top];
  const [x0, x1] = [Math.round(x + col * cellWidth), Math.round(x + (col + 1) * cellWidth)];
  const [y0, y1] = [Math.round(y + row * cellHeight), Math.round(y + (row + 1) * cellHeight)];
  return [x0, y0, Math.max(1, x1 - x0), Math.max(1, y1 - y0)];
}

function line(context, x0, y0, x1, y1) {
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
}

/// Hatching: one diagonal for the future, the other for padding, both for both, horizontal lines for neither.
function hatching({ context, palette }) {
  const pattern = (ways) => {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const lines = tile.getContext("2d");
    lines.strokeStyle = palette.hatch;
    for (const shift of [-6, 0, 6]) {
      if (ways.includes("/")) line(lines, shift - 1, 7, shift + 7, -1);
      if (ways.includes("\\")) line(lines, shift - 1, -1, shift + 7, 7);
    }
    if (ways.includes("-")) line(lines, 0, 3, 6, 3);
    lines.stroke();
    return context.createPattern(tile, "repeat");
  };
  return { future: pattern("/"), padding: pattern("\\"), both: pattern("/\\"), neither: pattern("-") };
}

function drawCells(map, pen, shown) {
  const { context, palette } = pen;
  const gap = Math.min(pen.cellWidth, pen.cellHeight) >= 9 ? 1 : 0;
  const withNumbers = pen.cellWidth >= NUMBERS_FIT.width && pen.cellHeight >= NUMBERS_FIT.height;
  const hatch = hatching(pen);
  context.fillStyle = palette.grid;
  const frame = [map.matrix.cols * pen.cellWidth, map.matrix.rows * pen.cellHeight];
  context.fillRect(pen.gutter - pen.left - 1, pen.header - pen.top - 1, frame[0] + 2, frame[1] + 2);
  for (let row = shown.rows[0]; row < shown.rows[1]; ++row) {
    for (let col = shown.cols[0]; col < shown.cols[1]; ++col) {
      const [x, y, width, height] = cellBox(pen, row, col);
      const box = [x, y, width - gap, height - gap];
      const colour = drawCell(map, pen, hatch, box, row, col);
      if (withNumbers) writeInCell(map, pen, colour, box, row, col);
    }
    if (map.fade && map.rows.pad(row)) fadeRow(map, pen, row);
    if (map.rows.group && row % map.rows.group === 0 && row > 0) ruleAbove(map, pen, row);
  }
}

/// Fills one cell and returns its shade, or null if its number is not finite, or is 0 because the cell is blocked.
function drawCell(map, { context, palette }, hatch, box, row, col) {
  const number = map.matrix.at(row, col);
  const reasons = map.blocked?.(row, col) ?? [];
  const hidden = !Number.isFinite(number) || (reasons.length > 0 && number === 0);
  const shade = hidden ? null : shadeOf(palette, map.scale, number);
  context.fillStyle = hidden ? palette.blocked : `rgb(${shade.map(Math.round).join(" ")})`;
  context.fillRect(...box);
  if (reasons.length || hidden) {
    context.fillStyle = hatch[hatchKind(reasons)];
    context.fillRect(...box);
  }
  return shade;
}

function writeInCell(map, { context, palette }, shade, [x, y, width, height], row, col) {
  context.fillStyle = shade ? (brightness(shade) > 0.55 ? "#14181d" : "#ffffff") : palette.ink;
  context.font = `${Math.min(palette.fontSize * 0.92, height * 0.62)}px ${palette.font}`;
  context.textAlign = "center";
  context.fillText(
    map.short?.(row, col) ?? formatCell(map.matrix.at(row, col), powerOf(map.scale)),
    x + width / 2,
    y + height / 2 + 0.5,
    width - 2,
  );
}

function fadeRow(map, pen, row) {
  const [x, y, , height] = cellBox(pen, row, 0);
  pen.context.globalAlpha = 0.6;
  pen.context.fillStyle = pen.palette.paper;
  pen.context.fillRect(x, y, map.matrix.cols * pen.cellWidth, height);
  pen.context.globalAlpha = 1;
}

function ruleAbove(map, pen, row) {
  const [x, y] = cellBox(pen, row, 0);
  pen.context.fillStyle = pen.palette.ink;
  pen.context.fillRect(x, y - 1, map.matrix.cols * pen.cellWidth, 1.5);
}

function drawCursor(map, pen) {
  const cell = map.hover ?? map.cursor;
  if (!cell) return;
  const [x, y, width, height] = cellBox(pen, cell.row, cell.col);
  const grow = [Math.max(0, (8 - width) / 2), Math.max(0, (8 - height) / 2)];
  const box = [x - grow[0], y - grow[1], width + 2 * grow[0], height + 2 * grow[1]];
  pen.context.strokeStyle = pen.palette.paper;
  pen.context.lineWidth = 5;
  pen.context.strokeRect(...box);
  pen.context.strokeStyle = pen.palette.accent;
  pen.context.lineWidth = 2.5;
  pen.context.strokeRect(...box);
}

function labelStyle({ context, palette }, pad, size = palette.fontSize) {
  context.fillStyle = pad ? palette.faint : palette.ink;
  context.font = `${pad ? "italic " : ""}${size}px ${palette.font}`;
}

function drawRowLabels(map, pen, shown) {
  if (pen.gutter < 8) return;
  const stride = labelStride(map.matrix.rows, pen.cellHeight, pen.palette.fontSize * (map.rows.tokens ? 1 : 1.5));
  pen.context.textAlign = "right";
  for (let row = shown.rows[0]; row < shown.rows[1]; ++row) {
    if (row % stride !== 0) continue;
    const [, y, , height] = cellBox(pen, row, 0);
    if (y + height / 2 < pen.header) continue;
    labelStyle(pen, map.rows.pad(row));
    pen.context.fillText(shorten(pen, map.rows.short(row), pen.gutter - 8), pen.gutter - 6, y + height / 2 + 0.5);
  }
}

function drawColumnLabels(map, pen, shown) {
  if (map.matrix.cols === 1) return;
  const widest = map.cols.tokens ? 0 : widestLabel(map.cols, map.matrix.cols, pen.palette) + 8;
  const stride = labelStride(map.matrix.cols, pen.cellWidth, widest);
  for (let col = shown.cols[0]; col < shown.cols[1]; ++col) {
    if (col % stride !== 0) continue;
    const [x, , width] = cellBox(pen, 0, col);
    if (x + width / 2 < pen.gutter) continue;
    labelStyle(pen, map.cols.pad(col), pen.upright ? Math.min(pen.palette.fontSize, pen.cellWidth) : undefined);
    if (pen.upright) writeUpright(pen, shorten(pen, map.cols.short(col), pen.header - 8), x + width / 2);
    else writeAbove(pen, map.cols.short(col), x + width / 2);
  }
}

function writeAbove(pen, text, x) {
  const half = pen.context.measureText(text).width / 2;
  pen.context.textAlign = "center";
  pen.context.fillText(text, Math.min(x, pen.width - half - 1), pen.header / 2);
}

function writeUpright(pen, text, x) {
  pen.context.save();
  pen.context.translate(x, pen.header - 6);
  pen.context.rotate(-Math.PI / 2);
  pen.context.textAlign = "left";
  pen.context.fillText(text, 0, 0);
  pen.context.restore();
}

function shorten({ context }, text, room) {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > room) letters.pop();
  return `${letters.join("")}…`;
}
