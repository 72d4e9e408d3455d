export { UnorderedList } from '../../sdk/src/protocol/unordered-list.ts';
