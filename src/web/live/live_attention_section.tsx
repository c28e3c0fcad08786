// The attention weights in the live page: each head can be switched off.
import { AttentionSection } from "../sections/attention_section";
import type { SectionProps } from "../sections/choices";
import { headSwitch, WithoutHeads } from "./head_chips";

export function LiveAttentionSection(props: SectionProps) {
  return (
    <AttentionSection {...props} headsOf={headSwitch}>
      <h3>Without a head</h3>
      <p>
        The buttons above the maps switch heads off. A head that is off still has its weights, but it adds nothing to
        the output of its layer.
      </p>
      <WithoutHeads trace={props.trace} />
    </AttentionSection>
  );
}
