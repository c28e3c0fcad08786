"""Makes gdb print matrices in readable form: the shape first, then one row per line.

    gdb -x scripts/gdb_printers.py --args build/debug/glassformer train configs/debug.yaml --output /tmp/debug-run

It supports Eigen's Matrix, Map, Ref and Block (including row vectors), and our Buffer, MatrixView, RowView and Mask. It
shows only the first rows and columns of a large matrix. `set print elements N` limits the numbers shown (default: 200).
"""

import gdb
import gdb.printing

COLUMNS = 16  # how many to show, unless print elements is smaller


def number_text(value):
    """Floats with four decimals, everything else as integers."""
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_FLT:
        return f"{float(value):9.4f}"
    return f"{int(value):3d}"


def dimension(holder, name, type_, argument):
    """The number of rows or columns: a member if it is dynamic, otherwise a template argument."""
    fixed = int(type_.template_argument(argument))
    if fixed >= 0:
        return fixed
    member = holder[name]
    return int(member["m_value"]) if member.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT else int(member)


class Layout:
    """Where a matrix is in memory: all we need to read it."""

    def __init__(self, data, rows, cols, stride):
        self.data, self.rows, self.cols, self.stride = data, rows, cols, stride

    def text(self):
        limit = gdb.parameter("print elements") or 10**9
        cols = min(self.cols, COLUMNS, limit)
        rows = min(self.rows, max(1, limit // max(cols, 1)))
        lines = [f"[{self.rows}, {self.cols}]"]
        for row in range(rows if cols else 0):
            cells = " ".join(number_text(self.data[row * self.stride + col]) for col in range(cols))
            lines.append("  " + cells + (" ..." if cols < self.cols else ""))
        if rows < self.rows:
            lines.append("  ...")
        return "\n".join(lines)


def matrix_layout(value):
    """Eigen::Matrix owns its numbers."""
    type_ = value.type.strip_typedefs()
    storage = value["m_storage"]
    rows = dimension(storage, "m_rows", type_, 1)
    cols = dimension(storage, "m_cols", type_, 2)
    return Layout(storage["m_data"], rows, cols, cols)


def view_layout(value):
    """Eigen::Map and Eigen::Ref view numbers that they do not own, with a stride from row to row."""
    type_ = value.type.strip_typedefs()
    matrix = type_.template_argument(0).strip_typedefs().unqualified()
    rows = dimension(value, "m_rows", matrix, 1)
    cols = dimension(value, "m_cols", matrix, 2)
    stride = cols
    try:
        outer = value["m_stride"]["m_outer"]
        outer = int(outer["m_value"]) if outer.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT else int(outer)
        stride = outer if outer > 0 else cols
    except gdb.error:
        pass  # the type fixes the stride: rows are contiguous
    return Layout(value["m_data"], rows, cols, stride)


def block_layout(value):
    """Eigen::Block views a part of a matrix and stores that matrix's stride from row to row."""
    type_ = value.type.strip_typedefs()
    rows, cols = dimension(value, "m_rows", type_, 1), dimension(value, "m_cols", type_, 2)
    return Layout(value["m_data"], rows, cols, int(value["m_outerStride"]))


def dereferenced(value):
    """What a reference refers to; any other value unchanged."""
    return value.referenced_value() if value.type.code == gdb.TYPE_CODE_REF else value


def buffer_layout(value):
    """glassformer::Buffer owns its numbers."""
    return matrix_view_layout(dereferenced(value)["view_"])


def matrix_view_layout(value):
    """glassformer::MatrixView views numbers that it does not own."""
    value = dereferenced(value)
    return Layout(value["data_"], int(value["rows_"]), int(value["cols_"]), int(value["stride_"]))


def row_view_layout(value):
    """glassformer::RowView views one row."""
    value = dereferenced(value)
    return Layout(value["data_"], 1, int(value["size_"]), int(value["size_"]))


class MatrixPrinter:
    def __init__(self, layout, value):
        self.layout, self.value = layout, value

    def to_string(self):
        return self.layout(self.value).text()


class MaskPrinter:
    """glassformer::Mask: what it blocks, and for how many sentences and queries."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        sentences, queries = int(self.value["sentences"]), int(self.value["queries"])
        blocked = buffer_layout(self.value["blocked"]).text()
        return f"{sentences} sentence(s), {queries} query row(s) each, blocked = {blocked}"


def build():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("glassformer")
    printers.add_printer("Matrix", r"^Eigen::Matrix<", lambda value: MatrixPrinter(matrix_layout, value))
    printers.add_printer("View", r"^Eigen::(Map|Ref)<", lambda value: MatrixPrinter(view_layout, value))
    printers.add_printer("Block", r"^Eigen::Block<", lambda value: MatrixPrinter(block_layout, value))
    printers.add_printer("Buffer", r"^glassformer::Buffer<", lambda value: MatrixPrinter(buffer_layout, value))
    printers.add_printer("MatrixView", r"^glassformer::MatrixView<",
                         lambda value: MatrixPrinter(matrix_view_layout, value))
    printers.add_printer("RowView", r"^glassformer::RowView<", lambda value: MatrixPrinter(row_view_layout, value))
    printers.add_printer("Mask", r"^glassformer::Mask$", MaskPrinter)
    return printers


gdb.printing.register_pretty_printer(None, build(), replace=True)
