export { mediaTypeOf } from '../../sdk/src/wire/media-type.ts';
