// What a heat map remembers between drawings: its cursor, the cell under the pointer, and its layout. It draws at most
// once per frame.
import type { Signal } from "@preact/signals";
import { formatNumber } from "../base/numbers";
import { blockedText } from "../trace/reasons";
import type { CellRef } from "../trace/terms/expression";
import type { HeatMapProps } from "./heat_map";
import { nextCell } from "./heat_map_cursor";
import { drawPicture, showPicture, type Picture } from "./heat_map_drawing";
import { cellAt, layOut, sameCell, scrollToShow, type Cell, type Layout } from "./heat_map_layout";
import { NO_MARKS, type Marks } from "./heat_map_marks";
import { readPalette, type Palette } from "./palette";
import { globalCell } from "./pointing";
import type { ReadoutSignal } from "./readout";

/// What a map shows: the props of a HeatMap, completed.
export type Shown = Omit<HeatMapProps, "enlarged" | "numbersShown"> & {
  readout: ReadoutSignal;
  namesReadout: boolean; // other maps share the readout, so it names the map
  enlarged: boolean;
  numbersShown: Signal<boolean>;
};

export class MapView {
  shown!: Shown;
  cursor: Cell | null = null;
  hover: Cell | null = null;
  chosen: CellRef | null = null; // the cell that the cursor was moved to, if the map belongs to a step
  isCursorShown = (): boolean => true;
  layout: Layout | null = null;
  marks: Marks = NO_MARKS;
  element!: HTMLElement; // the visible part, which scrolls if the map is enlarged
  canvas!: HTMLCanvasElement;
  #sheet!: HTMLElement;
  #observer: ResizeObserver | null = null;
  #frame = 0;
  #fits = false;
  #picture: Picture | null = null; // null: must be drawn again
  readonly #cells = document.createElement("canvas"); // of the picture

  attach(element: HTMLElement, sheet: HTMLElement, canvas: HTMLCanvasElement): void {
    this.element = element;
    this.#sheet = sheet;
    this.canvas = canvas;
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(element);
  }

  detach(): void {
    this.#observer?.disconnect();
    cancelAnimationFrame(this.#frame);
    if (this.shown.readout.peek()?.by === this) this.shown.readout.value = null;
  }

  show(shown: Shown): void {
    this.shown = shown;
    const within = (cell: Cell | null) =>
      cell && cell.row < shown.matrix.rows && cell.col < shown.matrix.cols ? cell : null;
    this.cursor = within(this.cursor);
    this.hover = within(this.hover);
    this.#fits = false;
    this.drawSoon();
    if (shown.readout.peek()?.by === this) this.#write();
  }

  /// The cell that is outlined and read out.
  get pointed(): Cell | null {
    return this.hover ?? this.cursor;
  }

  pointAt(event: MouseEvent | null): void {
    const cell = event && cellAt(this, event);
    this.#move("hover", cell);
    const { link } = this.shown;
    link?.pointing.hover(cell && globalCell(link, cell));
  }

  tap(event: MouseEvent): void {
    const cell = cellAt(this, event);
    if (!cell) return;
    this.moveCursor(cell);
    this.shown.choose?.cell(cell.row, cell.col);
  }

  focus(): void {
    if (!this.element.matches(":focus-visible")) this.#write();
    else if (!this.cursor) this.moveCursor({ row: 0, col: 0 });
    else this.moveCursor(this.cursor);
  }

  /// The reader moves the cursor.
  moveCursor(cell: Cell): void {
    this.placeCursor(cell);
    const { link } = this.shown;
    link?.pointing.choose(globalCell(link, cell));
  }

  placeCursor(cell: Cell): void {
    this.#move("cursor", cell);
    const { link, enlarged } = this.shown;
    if (enlarged) scrollToShow(this, cell);
    this.chosen = link ? globalCell(link, cell) : null;
  }

  pressKey(event: KeyboardEvent): void {
    if (this.shown.choose && this.cursor && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.hover = null;
      if (!event.repeat) this.shown.choose.cell(this.cursor.row, this.cursor.col);
      return;
    }
    const cell = nextCell(this.cursor ?? { row: 0, col: -1 }, this.shown.matrix, event);
    if (!cell) return;
    event.preventDefault();
    event.stopPropagation();
    this.hover = null;
    this.moveCursor(cell);
  }

  scrolled(): void {
    if (!this.shown.enlarged) return;
    this.#picture = null;
    this.#draw();
  }

  #move(which: "cursor" | "hover", cell: Cell | null): void {
    if (sameCell(this[which], cell)) return;
    this[which] = cell;
    if (which === "cursor" && cell) this.shown.moved?.(cell.row, cell.col);
    this.drawSoon();
    this.#write();
  }

  /// Writes the cell's row, its column, its number, and why it is blocked.
  #write(): void {
    const { name, matrix, rows, cols, blocked, blockedLater, opened, value, readout, namesReadout } = this.shown;
    const cell = this.pointed;
    if (!cell) {
      readout.value = null;
      return;
    }
    const { row, col } = cell;
    const places = [rows.long(row), cols.long(col)].filter((text) => text !== "").join(" · ");
    const reason = blockedText(blocked?.(row, col) ?? [], blockedLater);
    const state = reason ? `, ${reason}` : opened?.(row, col) ? ", you opened this" : "";
    const number = () => formatNumber(matrix.at(row, col), matrix.digits) + state;
    readout.value = {
      by: this,
      place: namesReadout ? `${name} · ${places}` : places,
      value: value?.(row, col) ?? number(),
    };
  }

  drawSoon(): void {
    if (!this.layout) return; // the observer draws it for the first time
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => (this.#fits ? this.#draw() : this.#fit()));
  }

  /// Lays the map out for its current width and draws it.
  #fit(): void {
    const width = this.element.clientWidth;
    if (!width) return;
    const { enlarged } = this.shown;
    const palette = readPalette();
    this.layout = layOut(this.shown, width, palette);
    this.#fits = true;
    this.#picture = null;
    const { total } = this.layout;
    const needsBar = enlarged && total.width > width;
    this.#sheet.style.width = `${enlarged ? total.width : width}px`;
    this.#sheet.style.height = `${total.height}px`;
    this.element.style.height = enlarged ? `min(${total.height + (needsBar ? 20 : 2)}px, 75vh)` : "";
    this.#draw(palette);
  }

  #draw(palette?: Palette): void {
    if (!this.layout) return;
    this.#picture ??= drawPicture(this, this.layout, palette ?? readPalette(), this.#cells);
    showPicture(this, this.#picture);
  }
}
