/** JSON text: parsed, formatted and read without changing a number. */
export { memberText, numbersIn, prettyJson } from './values/json-text.ts';
export { exactNumber, InexactNumberError, isInteger, isNumber, readJson } from './values/exact-json.ts';
