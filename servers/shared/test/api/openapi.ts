// The parts of a description of an API (OpenAPI 3.0) that requests and answers are measured by.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** An answer. Without a content it has no body. */
export interface Response {
  readonly content?: Content;
}

/** An operation. Its parameters and answers may be references. */
export interface Operation {
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, object>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Makes a function that follows references within a description. */
export function createResolver({ components }: OpenApi) {
  return function resolve<T extends object>(value: T): T {
    const { $ref } = value as Schema;
    if ($ref === undefined) return value;
    const [, , kind = '', name = ''] = $ref.split('/');
    return resolve(components[kind]![name] as T);
  };
}

export type Resolver = ReturnType<typeof createResolver>;
