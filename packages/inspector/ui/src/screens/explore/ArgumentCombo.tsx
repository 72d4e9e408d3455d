import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import type { CompleteBody } from '../../../../src/api/bodies.ts';
import type { ServerView } from '../../../../src/api/views.ts';
import { classes } from '../../parts/classes.ts';
import field from '../../parts/field.module.css';
import { Inert } from '../../parts/Inert.tsx';
import { inertText } from '../../parts/inert.ts';
import menu from '../../parts/menu.module.css';
import { api } from '../../store/api.ts';
import css from './request.module.css';

const PAUSE_MS = 150;

interface ComboProps {
  readonly name: string;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly server: ServerView;
  readonly target: CompleteBody['ref'];
  /** The other values, which the server may use for its completions. */
  readonly others: ReadonlyMap<string, string>;
}

interface Completions {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}
const NONE: Completions = { values: [], hasMore: false };

/** The server's completions for the typed text, requested a moment after the last key. */
function useCompletions({ name, value, server, target, others }: ComboProps, active: boolean): Completions {
  const [found, setFound] = useState<Completions>(NONE);
  const offered = server.capabilities?.['completions'] !== undefined && server.status === 'ready';
  const resolved = useRef(others);
  useEffect(() => {
    resolved.current = others;
  });
  const about = JSON.stringify(target);
  useEffect(() => {
    if (!active || !offered) return setFound(NONE);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const rest = [...resolved.current].filter(([other]) => other !== name);
      const body: CompleteBody = {
        ref: JSON.parse(about) as CompleteBody['ref'],
        argument: name,
        typed: value,
        resolved: rest.length === 0 ? undefined : Object.fromEntries(rest),
      };
      api
        .complete({ parts: { id: server.id }, body, signal: stop.signal })
        .then(({ values, hasMore }) => setFound({ values: [...new Set(values)], hasMore }))
        .catch(() => setFound(NONE));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [active, offered, name, value, server.id, about]);
  return found;
}

/** A text field with completions from the server. */
export function ArgumentCombo(props: ComboProps): ReactNode {
  const { name, description, required, value, onChange } = props;
  const [active, setActive] = useState(false);
  const { values, hasMore } = useCompletions(props, active);
  return (
    <ComboBox
      className={css.field!}
      inputValue={value}
      onInputChange={onChange}
      items={values.map((id) => ({ id }))}
      // The server has already filtered.
      defaultFilter={() => true}
      allowsCustomValue
      menuTrigger="focus"
      onFocusChange={setActive}
    >
      <Label className={css.name!}>
        <Inert text={name} most={120} />
        {required && <span className={css.required}>required</span>}
      </Label>
      <Input className={classes(field.input, css.combo)} placeholder="not sent" autoComplete="off" />
      {description !== undefined && (
        <Text slot="description" className={css.about!}>
          <Inert text={description} block most={600} />
        </Text>
      )}
      <Popover className={classes(menu.popover, css.popover)} offset={2}>
        <ListBox className={menu.menu!} aria-label={hasMore ? 'The first of more completions' : 'Completions'}>
          {({ id }: { readonly id: string }) => (
            <ListBoxItem className={menu.item!} textValue={id}>
              {inertText(id, 200)}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
