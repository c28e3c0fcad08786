// Each mask that a variant changes, unchanged and changed.
import { HatchLegend } from "../figures/hatch_legend";
import { MaskMap } from "../figures/mask_map";
import { Readout, useReadout } from "../figures/readout";
import { ATTENTION_KINDS, KINDS } from "../trace/names";
import { blockedBy } from "../trace/reasons";
import type { AttentionKind, VariantJson } from "../trace/types";
import type { VariantProps } from "./variant_view";
import "./variant_masks.css";

export function VariantMasks({ trace, variant, sentence }: VariantProps) {
  const readout = useReadout();
  const side = (kind: AttentionKind, of: VariantJson, title: string) => {
    const { mask: name, rows, cols } = ATTENTION_KINDS[kind];
    return (
      <MaskMap
        {...{ trace, name, title, sentence, readout }}
        mask={trace.matrix(of.masks[name])}
        queries={trace[rows]}
        keys={trace[cols]}
        blocked={(query, key) => blockedBy(trace, kind, sentence, query, key, of)}
        fade={false}
      />
    );
  };
  return (
    <>
      <div class="variant-masks">
        {KINDS.filter((kind) => variant.changed.includes(ATTENTION_KINDS[kind].mask)).map((kind) => (
          <section key={kind}>
            <h4>The {ATTENTION_KINDS[kind].title.toLowerCase()} mask</h4>
            <div class="pair">
              {side(kind, trace.own, "unchanged")}
              {side(kind, variant, "changed")}
            </div>
          </section>
        ))}
      </div>
      <Readout reading={readout} />
      <HatchLegend neither="another reason (point at the cell to see it)" />
    </>
  );
}
