"""Makes lldb print matrices in readable form: the shape first, then one row per line. For `frame variable`:

    lldb -o 'command script import scripts/lldb_printers.py' -- build/debug/glassformer train configs/debug.yaml

It supports our Buffer, MatrixView, RowView and Mask, and shows the first rows and columns of a large matrix.
"""

import struct

ROWS, COLUMNS = 16, 16  # how many to show
FORMATS = {"float": ("f", "{:9.4f}"), "double": ("d", "{:9.4f}"), "int": ("i", "{:3d}"), "unsigned char": ("B", "{:3d}")}


def number(value, name):
    return value.GetChildMemberWithName(name).GetValueAsSigned()


def table(value, pointer, rows, cols, stride):
    kind = pointer.GetType().GetPointeeType().GetCanonicalType().GetUnqualifiedType()
    if kind.GetName() not in FORMATS:
        return f"[{rows}, {cols}] of {kind.GetName()}"
    letter, form = FORMATS[kind.GetName()]
    size, first, lines = kind.GetByteSize(), pointer.GetValueAsUnsigned(), [f"[{rows}, {cols}]"]
    error = type(value.GetError())()
    for row in range(min(rows, ROWS)):
        count = min(cols, COLUMNS)
        data = value.GetProcess().ReadMemory(first + row * stride * size, count * size, error)
        if not error.Success():
            return lines[0] + " not readable"
        cells = [form.format(x) for x in struct.unpack(f"{count}{letter}", data)]
        lines.append("  " + " ".join(cells) + (" ..." if cols > count else ""))
    return "\n".join(lines + ["  ..."] * (rows > ROWS))


def buffer(value, _):
    return matrix_view(value.GetNonSyntheticValue().GetChildMemberWithName("view_"), None)


def matrix_view(value, _):
    return table(value, value.GetChildMemberWithName("data_"), *(number(value, name) for name in ("rows_", "cols_", "stride_")))


def row_view(value, _):
    return table(value, value.GetChildMemberWithName("data_"), 1, number(value, "size_"), 0)


def mask(value, _):
    blocked = buffer(value.GetChildMemberWithName("blocked"), None)
    return f"{number(value, 'sentences')} sentence(s), {number(value, 'queries')} query row(s) each, blocked = {blocked}"


def __lldb_init_module(debugger, _):
    for name, function in (("Buffer<.*>", "buffer"), ("MatrixView<.*>", "matrix_view"), ("RowView<.*>", "row_view"), ("Mask", "mask")):
        debugger.HandleCommand(f'type summary add -x "^glassformer::{name}( &)?$" -F lldb_printers.{function}')
