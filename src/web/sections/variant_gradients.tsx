// The parameters whose gradient norms a variant changes most, as a factor.
import { plural } from "../base/numbers";
import { ScrollBox, TitledTable } from "../base/tables";
import { decadeCount, decadesOf, LogBar } from "../figures/bar";
import type { MaybeFinite } from "../trace/types";
import type { VariantProps } from "./variant_view";

const SHOWN_GRADIENTS = 12;

interface Norms {
  name: string;
  before: MaybeFinite;
  after: MaybeFinite;
}

/// A norm that is not finite counts as infinite.
const sizes = ({ before, after }: Norms): [number, number] => [before ?? Infinity, after ?? Infinity];

function changeOf(norms: Norms): number {
  const [before, after] = sizes(norms);
  return before === after ? 0 : Math.abs(Math.log((after + 1e-12) / (before + 1e-12)));
}

function mostChanged({ trace, variant }: VariantProps): Norms[] {
  const all = trace.json.gradients.map(({ name }, i) => ({
    name: name.replace(/^model\./, ""),
    before: trace.own.gradient_norms[i] ?? null,
    after: variant.gradient_norms[i] ?? null,
  }));
  return all
    .filter((norms) => Math.max(...sizes(norms)) > 1e-7)
    .sort((a, b) => changeOf(b) - changeOf(a))
    .slice(0, SHOWN_GRADIENTS);
}

export function VariantGradients(props: VariantProps) {
  const shown = mostChanged(props);
  const decades = decadesOf(shown.flatMap(({ before, after }) => [before, after]));
  return (
    <>
      <h4>The gradient</h4>
      <p>The norms that change most, on a logarithmic scale ({plural(shown.length, "tensor")}).</p>
      <ScrollBox name="Gradient norms">
        <TitledTable name="losses" style={decadeCount(decades)} titles={["tensor", "unchanged", "changed"]}>
          {shown.map(({ name, before, after }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <LogBar norm={before} decades={decades} />
              </td>
              <td>
                <LogBar norm={after} decades={decades} />
              </td>
            </tr>
          ))}
        </TitledTable>
      </ScrollBox>
    </>
  );
}
