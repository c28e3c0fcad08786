// All settings as fields, by section of the config file. The engine checks a value as soon as it is entered.
import { useSignal } from "@preact/signals";
import { plural } from "../../base/numbers";
import { useUniqueId } from "../../base/unique_id";
import type { Setting } from "../../engine/protocol";
import { base, changed, changeSetting, refusalOf, settings } from "./model_state";
import { changesText, groupsOf, nameIn, rangeText, type Group } from "./settings_groups";

export function SettingsForm() {
  return (
    <div class="settings-form">
      {groupsOf(settings.value).map((group) => (
        <SettingGroup key={group.section} group={group} />
      ))}
    </div>
  );
}

function SettingGroup({ group }: { group: Group }) {
  const open = useSignal(false);
  const changes = group.settings.filter(({ key }) => key in changed.value).length;
  const wrong = group.settings.some(({ key }) => refusalOf(key));
  return (
    <details open={open.value || wrong} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>
        <code>{group.section}</code>
        <span class="note">
          {" "}
          {plural(group.settings.length, "setting")}
          {changesText(changes)}
        </span>
      </summary>
      {(open.value || wrong) &&
        group.settings.map((setting) => (
          <SettingField key={`${base.value.id} ${setting.key}`} setting={setting} name={nameIn(group, setting)} />
        ))}
    </details>
  );
}

const choicesOf = ({ kind, choices }: Setting): string[] | null =>
  kind === "switch" ? ["true", "false"] : kind === "choice" ? (choices ?? []) : null;

function SettingField({ setting, name }: { setting: Setting; name: string }) {
  const id = useUniqueId();
  const refusal = refusalOf(setting.key);
  const choices = choicesOf(setting);
  const shared = {
    id,
    value: setting.value,
    "aria-invalid": refusal !== undefined,
    "aria-describedby": `${id}-meaning ${id}-refusal`,
    onChange: (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      void changeSetting(setting.key, event.currentTarget.value.trim()),
  };
  return (
    <div class={setting.key in changed.value ? "setting changed" : "setting"}>
      <label for={id}>
        <code>{name}</code>
      </label>
      {choices ? (
        <select {...shared}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input {...shared} type="text" inputMode="decimal" autocomplete="off" spellcheck={false} />
      )}
      <p id={`${id}-meaning`} class="note">
        {setting.meaning}
        {rangeText(setting) && <span class="range"> ({rangeText(setting)})</span>}
      </p>
      <p id={`${id}-refusal`} class="note field-problem" role="alert">
        {refusal}
      </p>
    </div>
  );
}
