// What Muon does instead of Adam.
import muon from "source:src/training/muon.cpp";
import { formatNumber } from "../base/numbers";
import { Listing } from "../figures/source_code";
import { findLines, MUON_LINES } from "./optimizer_lines";
import { recomputed } from "./update_state";

/// A number of its update depends on the whole matrix.
export function MuonUpdate() {
  const { weight, engine } = recomputed.value!;
  const file = "src/training/muon.cpp";
  const parts = Object.entries(MUON_LINES).map(([, begin]) => findLines(muon, begin));
  const lines: [number, number] = [parts[0]![0], parts.at(-1)![1]];
  return (
    <>
      <p>
        Muon updates the weight matrices inside layers, and it looks at a matrix as a whole. It keeps m, the mean of
        recent gradients, but no v. It gives the newest gradient some extra weight and makes the result nearly
        orthogonal: all its directions become about equally strong. So one number of the update depends on all numbers
        of the matrix, and cannot be recomputed alone. All other tensors, such as biases, gains and embeddings, are
        updated by AdamW.
      </p>
      <Listing text={muon} code={{ file, lines }} caption="Muon’s update" context={0} />
      <p class="digits">
        weight {formatNumber(weight.before, 8)} → {formatNumber(engine.after, 8)}, m {formatNumber(weight.mBefore, 8)} →{" "}
        {formatNumber(engine.m, 8)}
      </p>
    </>
  );
}
