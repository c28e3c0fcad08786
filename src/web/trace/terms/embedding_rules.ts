// src/layers/embedding.cpp
import { range } from "../../base/numbers";
import { boxOfCell } from "./boxes";
import { sum, times, zero } from "./expression";
import type { Rules } from "./rule";

export const EMBEDDING_RULES: Rules = {
  "embedded = {scale} * {table}[{id}] + {position}[t], 0 at padding": (step, n, j) => {
    const { id, isPad, token, cell } = step.tokenAt("id", n);
    if (isPad) return { is: zero, notes: [[`“${token}” (id `, cell, ") is padding, and embedded as zeros."]] };
    const [table, position] = [step.input("table"), step.input("position")];
    const row = times(step.input("scale").at(0, 0), table.at(table.placeOfId(id), j));
    const notes = [[`“${token}” has the id `, cell, ", which selects its row of the table."]];
    return { is: sum([row, position.at(n % position.rows, j)]), notes };
  },

  "d_table += {scale} * {d_embedded}[n] in row {id}[n], for every token n but padding": (step, place, j) => {
    const [d_embedded, scale] = [step.input("d_embedded"), step.input("scale")];
    const id = step.output.idAt(place);
    const tokens = range(d_embedded.rows).map((n) => ({ n, ...step.tokenAt("id", n) }));
    const uses = tokens.filter((token) => token.id === id && !token.isPad);
    if (uses.length === 0) {
      const isPad = tokens.some((token) => token.id === id);
      const why = isPad ? "Padding gives the table no gradient." : "No token of the batch reads this row of the table.";
      return { is: zero, notes: [[why]] };
    }
    const also = uses.map(({ cell }) => boxOfCell(cell.cell));
    const count = uses.length === 1 ? "One token of the batch reads" : `${uses.length} tokens of the batch read`;
    const notes = [[`${count} this row of the table.`]];
    return { is: sum(uses.map(({ n }) => times(scale.at(0, 0), d_embedded.at(n, j)))), notes, also };
  },
};
