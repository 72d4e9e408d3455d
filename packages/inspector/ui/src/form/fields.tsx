import ArrayField from '@rjsf/core/lib/components/fields/ArrayField.js';
import type { FieldProps, WidgetProps } from '@rjsf/utils';
import { type ReactNode, useState } from 'react';
import { Input, TextArea } from 'react-aria-components';
import { IconButton } from '../parts/Button.tsx';
import { Choice } from '../parts/Choice.tsx';
import { classes } from '../parts/classes.ts';
import field from '../parts/field.module.css';
import { MinusIcon, PlusIcon } from '../parts/icons.tsx';
import { Inert } from '../parts/Inert.tsx';
import { inertText, piecesOf } from '../parts/inert.ts';
import { exactNumber, jsonProblem, readExact, writeExact } from '../json/exact.ts';
import { isNumber } from '../../../src/values/exact-json.ts';
import { change, describedBy, labelledBy, labelOf, type OptionValue, optionsOf, PLACEHOLDER } from './field-parts.ts';
import type { FormNode } from './form-schema.ts';
import { fieldText, type FieldText, type FormatType, formatType, textOfField } from './formats.ts';
import { choicesOf, chosenIn } from './multi-select.ts';
import { stepped, stepsOf } from './step.ts';
import css from './form.module.css';

// One field for each type of value.

function ChoiceField(props: FieldProps & { readonly choices: readonly OptionValue[] }): ReactNode {
  const { choices, formData, fieldPathId } = props;
  const written = choices.map(({ value }) => writeExact(value));
  const at = formData === undefined ? -1 : written.indexOf(writeExact(formData));
  const others = formData === undefined || at >= 0 ? [] : [{ id: 'other', label: labelOf(formData) }];
  return (
    <Choice
      label={inertText(String(fieldPathId.path.at(-1) ?? 'Value'), 80)}
      id={fieldPathId.$id}
      describedBy={describedBy(props)}
      value={at >= 0 ? String(at) : others[0]?.id}
      options={[...choices.map(({ label }, index) => ({ id: String(index), label })), ...others]}
      placeholder={PLACEHOLDER}
      onChange={(id) => {
        const chosen = choices[Number(id)];
        if (chosen !== undefined) change(props, chosen.value);
      }}
    />
  );
}

function TextField(props: FieldProps): ReactNode {
  const { formData, fieldPathId } = props;
  const text = formData === undefined ? '' : labelOf(formData);
  return (
    <>
      <TextArea
        id={fieldPathId.$id}
        className={classes(field.input, field.area)}
        rows={1}
        spellCheck="false"
        aria-describedby={describedBy(props)}
        placeholder={formData === undefined ? PLACEHOLDER : 'empty text'}
        value={text}
        onChange={(event) => change(props, event.target.value)}
      />
      {piecesOf(text).some((piece) => 'code' in piece) && (
        <p className={css.hidden}>
          With invisible characters shown: <Inert text={text} mono most={300} />
        </p>
      )}
    </>
  );
}

const ABSENT: FieldText = { value: '', offset: '' };

/** A date, a time, an email address or a URL, in the browser's own field for it. */
function FormatField(props: FieldProps & { readonly type: FormatType }): ReactNode {
  const { formData, fieldPathId, type } = props;
  const { value, offset } = (typeof formData === 'string' ? fieldText(type, formData) : undefined) ?? ABSENT;
  const isTime = type === 'time' || type === 'datetime-local';
  return (
    <span className={css.beside}>
      <input
        id={fieldPathId.$id}
        type={type}
        className={classes(
          field.input,
          type === 'datetime-local' ? css.long : (isTime || type === 'date') && css.short,
        )}
        step={isTime ? 1 : undefined}
        autoComplete="off"
        aria-describedby={describedBy(props)}
        placeholder={PLACEHOLDER}
        value={value}
        onChange={({ target }) =>
          change(props, target.value === '' ? undefined : textOfField(type, target.value, offset))
        }
      />
      {isTime && offset !== '' && (
        <span className={css.offset}>{offset === 'Z' ? 'UTC' : `UTC ${offset.replace('-', '−')}`}</span>
      )}
    </span>
  );
}

/** Returns whether the field of a format can represent a value unchanged. */
function isHeld(type: FormatType, value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && fieldText(type, value) !== undefined);
}

export function StringField(props: FieldProps): ReactNode {
  const { formData, schema } = props;
  const choices = optionsOf(schema);
  const type = formatType(schema.format);
  const fits = type !== undefined && isHeld(type, formData);
  // Once it is edited as text, it stays a text field, because replacing the field would lose the cursor.
  const [asText, setAsText] = useState(!fits);
  if (!fits && !asText) setAsText(true);
  if (choices !== undefined) return <ChoiceField {...props} choices={choices} />;
  return fits && !asText ? <FormatField {...props} type={type} /> : <TextField {...props} />;
}

/** Digits are kept as typed. Input that is not a number is sent as a string. */
export function NumberField(props: FieldProps): ReactNode {
  const { formData, fieldPathId, schema } = props;
  const choices = optionsOf(schema);
  if (choices !== undefined) return <ChoiceField {...props} choices={choices} />;
  const text = formData === undefined ? '' : labelOf(formData);
  const typed = (next: string): void => {
    if (next === '') change(props, undefined);
    else change(props, isNumber(next) ? exactNumber(next) : next);
  };
  const steps = stepsOf(schema as FormNode);
  const name = inertText(String(fieldPathId.path.at(-1) ?? 'value'), 60);
  const step = (by: 1 | -1): void => typed(stepped(text, by, steps));
  return (
    <span className={css.beside}>
      <Input
        id={fieldPathId.$id}
        className={classes(field.input, css.short)}
        inputMode={schema.type === 'integer' ? 'numeric' : 'decimal'}
        autoComplete="off"
        aria-describedby={describedBy(props)}
        placeholder={PLACEHOLDER}
        value={text}
        onChange={(event) => typed(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          step(event.key === 'ArrowUp' ? 1 : -1);
        }}
      />
      {/* The arrow keys do the same. */}
      <IconButton label={`Less ${name}`} look="plain" excludeFromTabOrder onPress={() => step(-1)}>
        <MinusIcon size={12} />
      </IconButton>
      <IconButton label={`More ${name}`} look="plain" excludeFromTabOrder onPress={() => step(1)}>
        <PlusIcon size={12} />
      </IconButton>
    </span>
  );
}

export function BooleanField(props: FieldProps): ReactNode {
  const { formData, fieldPathId, schema } = props;
  const choices = optionsOf(schema);
  if (choices !== undefined || (formData !== undefined && typeof formData !== 'boolean'))
    return (
      <ChoiceField {...props} choices={choices ?? [true, false].map((value) => ({ value, label: String(value) }))} />
    );
  return (
    <span className={css.check}>
      <input
        ref={(box) => {
          if (box !== null) box.indeterminate = formData === undefined;
        }}
        type="checkbox"
        id={fieldPathId.$id}
        aria-labelledby={labelledBy(props)}
        aria-describedby={describedBy(props)}
        checked={formData === true}
        onChange={(event) => change(props, event.target.checked)}
      />
      {formData !== undefined && <span aria-hidden="true">{String(formData)}</span>}
    </span>
  );
}

/** Several of a few values: a list in the order of the schema. A value that choices cannot represent is edited as a list. */
export function ListField(props: FieldProps): ReactNode {
  const { formData, schema } = props;
  const options = choicesOf(schema as FormNode);
  const chosen = options === undefined ? undefined : chosenIn(options, formData);
  if (options === undefined || chosen === undefined) return <ArrayField {...(props as FieldProps<unknown[]>)} />;
  const set = (at: number, on: boolean): void =>
    change(
      props,
      options.filter((_, index) => (index === at ? on : chosen.has(index))).map(({ value }) => value),
    );
  return (
    <span className={css.checks} role="group" aria-labelledby={labelledBy(props)} aria-describedby={describedBy(props)}>
      {options.map(({ label }, at) => (
        <label key={at} className={css.check}>
          <input type="checkbox" checked={chosen.has(at)} onChange={(event) => set(at, event.target.checked)} />
          {inertText(label, 120)}
        </label>
      ))}
    </span>
  );
}

export function NullField(props: FieldProps): ReactNode {
  return props.formData === undefined ? (
    <span className={css.beside}>
      <button type="button" className={css.give} onClick={() => change(props, null)}>
        Send null
      </button>
    </span>
  ) : (
    <code className={css.null} id={props.fieldPathId.$id}>
      {inertText(writeExact(props.formData), 200)}
    </code>
  );
}

/** Any value, as JSON. Text that is not JSON is sent as a string. */
export function AnyField(props: FieldProps): ReactNode {
  const { formData, fieldPathId, schema } = props;
  const choices = optionsOf(schema);
  const [draft, setDraft] = useState<string>();
  if (choices !== undefined) return <ChoiceField {...props} choices={choices} />;
  const typed = (text: string): void => {
    setDraft(text);
    if (text.trim() === '') change(props, undefined);
    else change(props, jsonProblem(text) === undefined ? readExact(text) : text);
  };
  const written = formData === undefined ? '' : writeExact(formData, '  ');
  return (
    <TextArea
      id={fieldPathId.$id}
      className={classes(field.input, field.area)}
      rows={1}
      spellCheck="false"
      aria-describedby={describedBy(props)}
      placeholder={`${PLACEHOLDER}: any JSON`}
      value={draft ?? written}
      onBlur={() => setDraft(undefined)}
      onChange={(event) => typed(event.target.value)}
    />
  );
}

/** The library's selector for the branch of an `anyOf` or `oneOf`. */
export function SelectWidget({ id, value, options, onChange, label }: WidgetProps): ReactNode {
  return (
    <Choice
      label={inertText(label === '' ? 'Choice' : `Choice of ${label}`, 80)}
      id={id}
      value={value === undefined ? undefined : String(value)}
      options={(options.enumOptions ?? []).map((option) => ({ id: String(option.value), label: option.label }))}
      onChange={(chosen) => onChange(chosen)}
    />
  );
}
