// The norm of every parameter's gradient, in a table for each layer.
import { formatNumber } from "../base/numbers";
import { ScrollBox, TitledTable } from "../base/tables";
import { decadeCount, decadesOf, LogBar, type Decades } from "../figures/bar";
import { partTitle } from "../trace/names";
import type { Trace } from "../trace/trace";
import type { GradientJson } from "../trace/types";
import "./norm_tables.css";

export function NormTables({ trace }: { trace: Trace }) {
  const decades = decadesOf(trace.json.gradients.map((one) => one.norm));
  return (
    <div class="norms" style={decadeCount(decades)}>
      {[...groupByPart(trace)].map(([title, members]) => (
        <NormTable key={title} {...{ title, members, decades }} />
      ))}
    </div>
  );
}

function groupByPart(trace: Trace): Map<string, GradientJson[]> {
  const groups = new Map<string, GradientJson[]>();
  for (const one of trace.json.gradients) {
    const layer = /^model\.(encoder|decoder)\.layers\.\d+/.exec(one.name);
    const title = layer ? partTitle(trace, layer[0]) : "outside the layers";
    groups.set(title, [...(groups.get(title) ?? []), one]);
  }
  return groups;
}

const TITLES = ["tensor", "shape", "norm of the gradient", "norm of the values"];

function NormTable({ title, members, decades }: { title: string; members: GradientJson[]; decades: Decades }) {
  return (
    <section class="norm-group">
      <h4>{title}</h4>
      <ScrollBox name={`Gradients: ${title}`}>
        <TitledTable titles={TITLES}>
          {members.map(({ name, shape, norm, values_norm: values }) => (
            <tr key={name}>
              <th scope="row" title={name}>
                {name.replace(/^model\.((encoder|decoder)\.layers\.\d+\.)?/, "")}
              </th>
              <td class="shape">{shape.join(" × ")}</td>
              <td>
                <LogBar norm={norm} decades={decades} />
              </td>
              <td class="number">{formatNumber(values, 3)}</td>
            </tr>
          ))}
        </TitledTable>
      </ScrollBox>
    </section>
  );
}
