// The main entry point of the form library includes its tests.
import Form, { type IChangeEvent } from '@rjsf/core/lib/components/Form.js';
import {
  type ErrorSchema,
  ErrorSchemaBuilder,
  type RegistryFieldsType,
  type RJSFSchema,
  type TemplatesType,
  type ValidatorType,
} from '@rjsf/utils';
import { type ReactNode, useMemo, useState } from 'react';
import { readExact, writeExact } from '../json/exact.ts';
import { AnyField, BooleanField, ListField, NullField, NumberField, SelectWidget, StringField } from './fields.tsx';
import { formSchemaOf, NoFormError } from './form-schema.ts';
import { sampler } from './sample.ts';
import { createFormCheck, type FormCheck, type ValidationIssue } from './schema-check.ts';
import {
  ArrayFieldItemTemplate,
  ArrayFieldTemplate,
  FieldErrorTemplate,
  FieldTemplate,
  MultiSchemaFieldTemplate,
  Nothing,
  ObjectFieldTemplate,
  UnsupportedFieldTemplate,
} from './templates.tsx';

const FIELDS: RegistryFieldsType = {
  StringField,
  NumberField,
  BooleanField,
  NullField,
  ArrayField: ListField,
  FallbackField: AnyField,
};
const TEMPLATES: Partial<TemplatesType> = {
  FieldTemplate,
  FieldErrorTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  MultiSchemaFieldTemplate,
  UnsupportedFieldTemplate,
  FieldHelpTemplate: Nothing,
  DescriptionFieldTemplate: Nothing,
  TitleFieldTemplate: Nothing,
};
const WIDGETS = { SelectWidget };

/** The form shows exactly what will be sent: the library must not add values. */
const DEFAULTS = {
  emptyObjectFields: 'skipDefaults',
  arrayMinItems: { populate: 'never' },
  allOf: 'skipDefaults',
} as const;
const NO_SUBMIT = { 'ui:submitButtonOptions': { norender: true } };

/** The issues in the library's format: a tree by path. */
function errorsOf(issues: readonly ValidationIssue[]): ErrorSchema {
  const tree = new ErrorSchemaBuilder();
  for (const { path, message } of issues) tree.addErrors(message, [...path]);
  return tree.ErrorSchema;
}

/** The library's validator interface, implemented with the SDK's validator. The issues are passed to the form separately. */
function validatorOf(check: FormCheck): ValidatorType {
  return {
    validateFormData: () => ({ errors: [], errorSchema: {} }),
    isValid: (schema, data) => check.allows(schema, data),
    rawValidation: (schema, data) => ({ errors: check.allows(schema, data) ? [] : [undefined as never] }),
  };
}

export interface SchemaFormProps {
  /** The schema: JSON as the server sent it. */
  readonly schema: string;
  /** The initial value, as JSON. It is read once: another value needs another `key`. */
  readonly value: string;
  /** Called with the value as JSON, with numbers as they were typed. */
  readonly onChange: (text: string) => void;
}

/**
 * A form for a JSON Schema. Throws a `NoFormError`, or an error of the library, if there can be no form, so it belongs in a
 * `FormBoundary`.
 */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first needed.
export default function SchemaForm({ schema, value, onChange }: SchemaFormProps): ReactNode {
  const { form, check, validator } = useMemo(() => {
    const server = readExact(schema);
    const form = formSchemaOf(server, sampler(server));
    const check = createFormCheck(server, form);
    return { form, check, validator: validatorOf(check) };
  }, [schema]);
  const [data, setData] = useState(() => begin(value));
  const errors = useMemo(() => errorsOf(check.issues(data ?? {})), [check, data]);

  const changed = ({ formData }: IChangeEvent): void => {
    setData(formData);
    onChange(writeExact(formData ?? {}, '  '));
  };
  return (
    <Form
      schema={form as RJSFSchema}
      uiSchema={NO_SUBMIT}
      formData={data}
      validator={validator}
      fields={FIELDS}
      templates={TEMPLATES}
      widgets={WIDGETS}
      tagName="div"
      idPrefix="field"
      noValidate
      extraErrors={errors}
      showErrorList={false}
      experimental_defaultFormStateBehavior={DEFAULTS}
      onChange={changed}
    />
  );
}

function begin(text: string): unknown {
  const value = readExact(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NoFormError('The arguments are not a JSON object');
  return value;
}
