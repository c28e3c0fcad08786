"""Makes gdb print matrices as one reads them: shape first, then a row a line.

    gdb -x scripts/gdb_printers.py --args build/debug/glassformer train configs/debug.yaml --output /tmp/debug-run

It knows Eigen's Matrix, Map, Ref and Block (row vectors as well), and the project's Buffer, MatrixView, RowView and Mask. Of
a large matrix, the first rows and columns are shown: `set print elements N` says how many (200 unless set).
"""

import gdb
import gdb.printing

COLUMNS = 16  # of a row that are shown, unless print elements is less


def number_text(value):
    """Floats with four places, everything else as whole numbers."""
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_FLT:
        return f"{float(value):9.4f}"
    return f"{int(value):3d}"


def dimension(holder, name, type_, argument):
    """A number of rows or columns: a member where it is dynamic, else an argument of the template."""
    fixed = int(type_.template_argument(argument))
    if fixed >= 0:
        return fixed
    member = holder[name]
    return int(member["m_value"]) if member.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT else int(member)


class Numbers:
    """Where a matrix lies: all that is needed to read it."""

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


def matrix_numbers(value):
    """Eigen::Matrix owns its numbers."""
    type_ = value.type.strip_typedefs()
    storage = value["m_storage"]
    rows = dimension(storage, "m_rows", type_, 1)
    cols = dimension(storage, "m_cols", type_, 2)
    return Numbers(storage["m_data"], rows, cols, cols)


def view_numbers(value):
    """Eigen::Map and Eigen::Ref show numbers of others, with a stride from row to row."""
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
        pass  # a stride that the type fixes: rows follow each other
    return Numbers(value["m_data"], rows, cols, stride)


def block_numbers(value):
    """Eigen::Block shows a part of a matrix, of which it keeps the distance from row to row."""
    type_ = value.type.strip_typedefs()
    rows, cols = dimension(value, "m_rows", type_, 1), dimension(value, "m_cols", type_, 2)
    return Numbers(value["m_data"], rows, cols, int(value["m_outerStride"]))


def plain(value):
    """What a reference refers to."""
    return value.referenced_value() if value.type.code == gdb.TYPE_CODE_REF else value


def buffer_numbers(value):
    """glassformer::Buffer owns its numbers."""
    value = plain(value)
    pointer = value["memory_"]["_M_t"]["_M_t"]  # std::unique_ptr keeps it in a std::tuple
    for base in ("std::_Tuple_impl<0", "std::_Head_base<0"):
        pointer = pointer.cast(next(field.type for field in pointer.type.fields() if field.name.startswith(base)))
    return Numbers(pointer["_M_head_impl"], int(value["rows_"]), int(value["cols_"]), int(value["stride_"]))


def matrix_view_numbers(value):
    """glassformer::MatrixView shows numbers of others."""
    value = plain(value)
    return Numbers(value["data_"], int(value["rows_"]), int(value["cols_"]), int(value["stride_"]))


def row_view_numbers(value):
    """glassformer::RowView shows one row."""
    value = plain(value)
    return Numbers(value["data_"], 1, int(value["size_"]), int(value["size_"]))


class MatrixPrinter:
    def __init__(self, numbers, value):
        self.numbers, self.value = numbers, value

    def to_string(self):
        return self.numbers(self.value).text()


class MaskPrinter:
    """glassformer::Mask: what is blocked, and for how many sentences and queries."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        sentences, queries = int(self.value["sentences"]), int(self.value["queries"])
        blocked = buffer_numbers(self.value["blocked"]).text()
        return f"{sentences} sentence(s), {queries} query row(s) each, blocked = {blocked}"


def build():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("glassformer")
    printers.add_printer("Matrix", r"^Eigen::Matrix<", lambda value: MatrixPrinter(matrix_numbers, value))
    printers.add_printer("View", r"^Eigen::(Map|Ref)<", lambda value: MatrixPrinter(view_numbers, value))
    printers.add_printer("Block", r"^Eigen::Block<", lambda value: MatrixPrinter(block_numbers, value))
    printers.add_printer("Buffer", r"^glassformer::Buffer<", lambda value: MatrixPrinter(buffer_numbers, value))
    printers.add_printer("MatrixView", r"^glassformer::MatrixView<",
                         lambda value: MatrixPrinter(matrix_view_numbers, value))
    printers.add_printer("RowView", r"^glassformer::RowView<", lambda value: MatrixPrinter(row_view_numbers, value))
    printers.add_printer("Mask", r"^glassformer::Mask$", MaskPrinter)
    return printers


gdb.printing.register_pretty_printer(None, build(), replace=True)
