// The matrices of a tensor's update.
import { useMemo } from "preact/hooks";
import type { UpdateNumbers } from "../engine/protocol";
import { HeatMap } from "../figures/heat_map";
import { scaleFor } from "../figures/scale";
import { numberAxis } from "../trace/axes";
import { Matrix } from "../trace/matrix";
import { cell, sizes } from "./update_state";

export function UpdateMaps({ update }: { update: UpdateNumbers }) {
  const [rows, cols] = sizes.value;
  const maps = useMemo(() => {
    const { gradient, m, v, weights_before: before, weights } = update;
    const change = weights.map((weight, i) => weight - before[i]!);
    const named = {
      "weights before": before,
      "gradient, before clipping": gradient,
      "m after": m,
      "v after": v,
      "change of the weights": change,
    };
    return Object.entries(named).map(([name, numbers]) => [name, new Matrix({ rows, cols, numbers })] as const);
  }, [update]);
  return (
    <div class="update-maps">
      {maps.map(([name, matrix]) => (
        <figure key={name}>
          <figcaption>
            <b>{name}</b> <span class="shape">[{update.shape.join(", ")}]</span>
          </figcaption>
          <HeatMap
            name={name}
            matrix={matrix}
            rows={numberAxis((i) => `row ${i}`)}
            cols={numberAxis((i) => `column ${i}`)}
            scale={scaleFor(matrix)}
            moved={(row, col) => (cell.value = { row, col })}
          />
        </figure>
      ))}
    </div>
  );
}
