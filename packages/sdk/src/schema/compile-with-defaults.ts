// Code for plain JSON Schema, loaded when the first such schema is used.
export { makeFiller } from './defaults.ts';
export { compileSchema } from './validator/compile.ts';
