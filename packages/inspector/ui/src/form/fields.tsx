import type { FieldProps, WidgetProps } from '@rjsf/utils';
import { type ReactNode, useState } from 'react';
import { Input, TextArea } from 'react-aria-components';
import { Choice } from '../parts/Choice.tsx';
import { classes } from '../parts/classes.ts';
import field from '../parts/field.module.css';
import { Inert } from '../parts/Inert.tsx';
import { inertText, piecesOf } from '../parts/inert.ts';
import { exactNumber, jsonProblem, numberText, readExact, writeExact } from '../json/exact.ts';
import { isNumber } from '../../../src/values/exact-json.ts';
import { isNode } from './form-schema.ts';
import css from './form.module.css';

// One field for each type of value. A field never refuses what is typed: what does not fit is sent as it stands, and a warning says so.

const PLACEHOLDER = 'not sent';

function change({ onChange, fieldPathId }: FieldProps, value: unknown): void {
  onChange(value, fieldPathId.path);
}

function describedBy({ fieldPathId }: FieldProps): string {
  return `${fieldPathId.$id}__about`;
}

interface OptionValue {
  readonly value: unknown;
  readonly label: string;
}

/** What a field may be, if the schema counts it up. */
function optionsOf(schema: FieldProps['schema']): readonly OptionValue[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.map((value: unknown) => ({ value, label: labelOf(value) }));
  if ('const' in schema) return [{ value: schema.const, label: labelOf(schema.const) }];
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices === undefined || !choices.every((one) => isNode(one) && 'const' in one)) return undefined;
  return choices.filter(isNode).map((one) => {
    const { const: value, title } = one;
    return {
      value,
      label: typeof title === 'string' && title !== value ? `${title} (${labelOf(value)})` : labelOf(value),
    };
  });
}

function labelOf(value: unknown): string {
  return numberText(value) ?? (typeof value === 'string' ? value : writeExact(value));
}

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

export function StringField(props: FieldProps): ReactNode {
  const { formData, fieldPathId, schema } = props;
  const choices = optionsOf(schema);
  if (choices !== undefined) return <ChoiceField {...props} choices={choices} />;
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
          With what is not seen: <Inert text={text} mono most={300} />
        </p>
      )}
    </>
  );
}

/** Digits are kept as they are typed. Anything that is not a number is sent as a string. */
export function NumberField(props: FieldProps): ReactNode {
  const { formData, fieldPathId, schema } = props;
  const choices = optionsOf(schema);
  if (choices !== undefined) return <ChoiceField {...props} choices={choices} />;
  const typed = (text: string): void => {
    if (text === '') change(props, undefined);
    else change(props, isNumber(text) ? exactNumber(text) : text);
  };
  return (
    <Input
      id={fieldPathId.$id}
      className={field.input!}
      inputMode={schema.type === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      aria-describedby={describedBy(props)}
      placeholder={PLACEHOLDER}
      value={formData === undefined ? '' : labelOf(formData)}
      onChange={(event) => typed(event.target.value)}
    />
  );
}

export function BooleanField(props: FieldProps): ReactNode {
  const choices = optionsOf(props.schema) ?? [
    { value: true, label: 'true' },
    { value: false, label: 'false' },
  ];
  const chosen = props.formData === undefined ? undefined : writeExact(props.formData);
  return (
    <span className={css.segments} role="radiogroup" aria-labelledby={`${props.fieldPathId.$id}__label`}>
      {choices.map(({ value, label }, at) => (
        <label key={label} className={css.segment}>
          <input
            type="radio"
            id={at === 0 ? props.fieldPathId.$id : undefined}
            name={props.fieldPathId.$id}
            checked={chosen === writeExact(value)}
            onChange={() => change(props, value)}
          />
          {inertText(label, 60)}
        </label>
      ))}
    </span>
  );
}

export function NullField(props: FieldProps): ReactNode {
  return props.formData === undefined ? (
    <span className={css.segments}>
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

/** Any value, as JSON. What is no JSON goes out as a text. */
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

/** The engine's own question which choice of `anyOf` or `oneOf` is meant. */
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
