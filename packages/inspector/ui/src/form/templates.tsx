import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  canExpand,
  type FieldErrorProps,
  type FieldTemplateProps,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
  type UnsupportedFieldProps,
} from '@rjsf/utils';
import type { ReactNode } from 'react';
import { Input } from 'react-aria-components';
import { Button, IconButton } from '../parts/Button.tsx';
import { classes } from '../parts/classes.ts';
import field from '../parts/field.module.css';
import { CloseIcon, MinusIcon, PlusIcon, UpIcon, WarnIcon, ChevronDown } from '../parts/icons.tsx';
import { Inert } from '../parts/Inert.tsx';
import { inertText } from '../parts/inert.ts';
import { type FormNode, OPTION } from './form-schema.ts';
import { isMultiSelect } from './multi-select.ts';
import { typeText } from './type-text.ts';
import css from './form.module.css';

/** The last segment of the path of a field: its name in the JSON. */
function nameOf({ path }: { readonly path: readonly (string | number)[] }): string | number | undefined {
  return path.at(-1);
}

/** The name of a member added to a map, which can be changed. */
function KeyInput(props: FieldTemplateProps): ReactNode {
  return (
    <Input
      className={classes(field.input, css.key)}
      aria-label={`Name of the member ${inertText(props.label, 60)}`}
      defaultValue={String(nameOf(props.fieldPathId) ?? '')}
      onBlur={props.onKeyRenameBlur}
    />
  );
}

function Name(props: FieldTemplateProps): ReactNode {
  const { id, label, fieldPathId } = props;
  const name = nameOf(fieldPathId);
  const title = label !== '' && label !== name ? label : undefined;
  return (
    <label className={css.name} id={`${id}__label`} htmlFor={id}>
      {typeof name === 'number' ? <span className={css.index}>{name}</span> : <Inert text={name ?? label} most={200} />}
      {title !== undefined && typeof name !== 'number' && (
        <span className={css.title}>
          <Inert text={title} most={200} />
        </span>
      )}
    </label>
  );
}

function Head(props: FieldTemplateProps): ReactNode {
  const { schema, required, formData, onChange, onRemoveProperty, fieldPathId, label } = props;
  const added = ADDITIONAL_PROPERTY_FLAG in schema;
  const inList = typeof nameOf(fieldPathId) === 'number';
  return (
    <div className={css.head}>
      {added ? <KeyInput {...props} key={label} /> : <Name {...props} />}
      <span className={css.type} title={typeText(schema as FormNode)}>
        {typeText(schema as FormNode)}
      </span>
      {required && !inList && <span className={css.required}>required</span>}
      {formData === undefined && <span className={css.absent}>not sent</span>}
      {added && (
        <IconButton label={`Remove ${inertText(label, 60)}`} small onPress={() => onRemoveProperty()}>
          <MinusIcon size={12} />
        </IconButton>
      )}
      {!added && !inList && formData !== undefined && (
        <IconButton
          label={`Leave ${inertText(label, 60)} out`}
          small
          onPress={() => onChange(undefined, fieldPathId.path)}
        >
          <CloseIcon size={12} />
        </IconButton>
      )}
    </div>
  );
}

/** The initial value of a new item. Undefined: no more items are allowed. In a tuple, each position has its own. */
function nextItem(schema: FormNode, length: number): { readonly value: unknown } | undefined {
  const { items, additionalItems } = schema;
  const part = !Array.isArray(items) ? items : length < items.length ? (items as unknown[])[length] : additionalItems;
  if (typeof part !== 'object' || part === null) return undefined;
  return { value: (part as FormNode)['default'] ?? null };
}

/** Adds an item that the schema allows, unlike the library, which adds an empty one. */
function AddItem({ schema, formData, onChange, fieldPathId }: FieldTemplateProps): ReactNode {
  if (schema.type !== 'array' || isMultiSelect(schema as FormNode, formData)) return null;
  const there: readonly unknown[] = Array.isArray(formData) ? formData : [];
  const next = nextItem(schema as FormNode, there.length);
  if (next === undefined) return null;
  return (
    <span className={css.add}>
      <Button small onPress={() => onChange([...there, next.value], fieldPathId.path)}>
        <PlusIcon size={12} /> Add an item
      </Button>
    </span>
  );
}

/** A field: its name, type, description, value, and issues. */
export function FieldTemplate(props: FieldTemplateProps): ReactNode {
  const { id, schema, children, errors, rawDescription, fieldPathId } = props;
  const isOption = OPTION in schema;
  if (fieldPathId.path.length === 0 || isOption)
    return (
      <div className={isOption ? css.option : css.root}>
        {isOption && rawDescription !== undefined && rawDescription !== '' && (
          <p className={css.about}>
            <Inert text={rawDescription} block most={600} />
          </p>
        )}
        {children}
        <AddItem {...props} />
        {errors}
      </div>
    );
  return (
    <div className={css.field}>
      <Head {...props} />
      <div id={`${id}__about`}>
        {rawDescription !== undefined && rawDescription !== '' && (
          <p className={css.about}>
            <Inert text={rawDescription} block most={600} />
          </p>
        )}
      </div>
      {children}
      <AddItem {...props} />
      {errors}
    </div>
  );
}

export function FieldErrorTemplate({ errors = [] }: FieldErrorProps): ReactNode {
  return errors.length === 0 ? null : (
    <ul className={css.errors}>
      {[...new Set(errors)].map((error) => (
        <li key={String(error)}>
          <WarnIcon size={12} /> <Inert text={String(error)} most={300} />
        </li>
      ))}
    </ul>
  );
}

export function ObjectFieldTemplate(props: ObjectFieldTemplateProps): ReactNode {
  const { properties, schema, uiSchema, formData, fieldPathId, onAddProperty } = props;
  const open = canExpand(schema, uiSchema, formData);
  if (properties.length === 0 && !open)
    return 'anyOf' in schema || 'oneOf' in schema ? null : (
      <p className={css.none}>{fieldPathId.path.length === 0 ? 'It takes no arguments.' : 'No members.'}</p>
    );
  return (
    <div className={fieldPathId.path.length === 0 ? css.fields : classes(css.fields, css.nested)}>
      {fieldPathId.path.length === 0 && properties.length === 0 && (
        <p className={css.none}>The schema names no arguments. Others may be added.</p>
      )}
      {properties.map(({ content }) => content)}
      {open && (
        <span>
          <Button small onPress={() => onAddProperty()}>
            <PlusIcon size={12} /> Add a member
          </Button>
        </span>
      )}
    </div>
  );
}

export function ArrayFieldTemplate({ items, fieldPathId }: ArrayFieldTemplateProps): ReactNode {
  return items.length === 0 ? null : (
    <div className={classes(css.fields, css.nested)} id={fieldPathId.$id}>
      {items}
    </div>
  );
}

export function ArrayFieldItemTemplate({
  children,
  buttonsProps,
  hasToolbar,
  index,
}: ArrayFieldItemTemplateProps): ReactNode {
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps;
  return (
    <div className={css.item}>
      <div className={css.itemBody}>{children}</div>
      {hasToolbar && (
        <div className={css.itemActs}>
          {(hasMoveUp || hasMoveDown) && (
            <>
              <IconButton label={`Move item ${index} up`} small isDisabled={!hasMoveUp} onPress={() => onMoveUpItem()}>
                <UpIcon size={12} />
              </IconButton>
              <IconButton
                label={`Move item ${index} down`}
                small
                isDisabled={!hasMoveDown}
                onPress={() => onMoveDownItem()}
              >
                <ChevronDown size={12} />
              </IconButton>
            </>
          )}
          {hasRemove && (
            <IconButton label={`Remove item ${index}`} small onPress={() => onRemoveItem()}>
              <MinusIcon size={12} />
            </IconButton>
          )}
        </div>
      )}
    </div>
  );
}

export function MultiSchemaFieldTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps): ReactNode {
  return (
    <div className={css.choice}>
      {selector}
      {optionSchemaField}
    </div>
  );
}

export function UnsupportedFieldTemplate({ reason }: UnsupportedFieldProps): ReactNode {
  return (
    <p className={css.none}>
      This part can’t be shown as a form{reason === undefined ? '' : `: ${inertText(reason, 200)}`}. Edit it as JSON.
    </p>
  );
}

/** Replaces parts of the library that are not wanted here. */
export function Nothing(): ReactNode {
  return null;
}
