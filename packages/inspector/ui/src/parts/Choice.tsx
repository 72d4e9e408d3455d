import type { ReactNode } from 'react';
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';
import { ChevronDown } from './icons.tsx';
import { inertText } from './inert.ts';
import menu from './menu.module.css';
import css from './choice.module.css';

export interface ChoiceProps<Id extends string> {
  readonly label: string;
  /** The id of the button, if a separate label refers to it. */
  readonly id?: string;
  /** The id of an option. Undefined: none. */
  readonly value: Id | undefined;
  readonly options: readonly { readonly id: Id; readonly label: string }[];
  readonly onChange: (id: Id) => void;
  readonly placeholder?: string;
  readonly describedBy?: string;
}

/** A selector for one of a few options. */
export function Choice<Id extends string>({
  label,
  id,
  value,
  options,
  onChange,
  placeholder,
  describedBy,
}: ChoiceProps<Id>): ReactNode {
  return (
    <Select
      aria-label={label}
      className={css.select!}
      selectedKey={value ?? null}
      onSelectionChange={(key) => {
        const chosen = options.find((option) => option.id === key);
        if (chosen !== undefined) onChange(chosen.id);
      }}
      placeholder={placeholder ?? 'Choose'}
      aria-describedby={describedBy}
    >
      <Button className={css.button!} id={id}>
        <SelectValue className={css.value!} />
        <ChevronDown size={12} />
      </Button>
      <Popover className={menu.popover!} offset={4}>
        <ListBox className={menu.menu!} items={options.map((option) => ({ ...option }))}>
          {(option) => (
            <ListBoxItem className={menu.item!} textValue={inertText(option.label, 80)}>
              {inertText(option.label, 120)}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
