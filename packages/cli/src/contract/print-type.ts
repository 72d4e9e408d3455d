import { docComment, memberName } from './source-text.ts';
import type { MemberNode, ObjectNode, TupleNode, TypeNode } from './type-node.ts';

/** Writes types as source code. */
export interface TypePrinter {
  /** The type; lines after the first begin with `indent`. */
  print(type: TypeNode, indent: string): string;
  /** The number of types so far that are wider than their schemas. */
  readonly notes: number;
}

/** `cuts`: the types that are replaced by `unknown`, with the reasons. */
export function createTypePrinter(cuts: ReadonlyMap<TypeNode, string>): TypePrinter {
  let notes = 0;

  const isCompound = (node: TypeNode): boolean => {
    if (cuts.has(node)) return false;
    if (node.kind === 'list' || node.kind === 'tuple') return node.isReadonly;
    return node.kind === 'union' || node.kind === 'intersection';
  };

  /** The type as an operand of an operator. */
  const operand = (node: TypeNode, indent: string): string => {
    const text = print(node, indent);
    return isCompound(node) ? `(${text})` : text;
  };

  const printMember = ({ name, isOptional, type, comment }: MemberNode, indent: string): string =>
    `${docComment(comment, indent)}${indent}${memberName(name)}${isOptional ? '?' : ''}: ${print(type, indent)};\n`;

  const printObject = ({ members, index }: ObjectNode, indent: string): string => {
    const others = index && `[key: string]: ${print(index, `${indent}  `)}`;
    if (members.length === 0) return others === undefined ? '{}' : `{ ${others} }`;
    const lines = members.map((member) => printMember(member, `${indent}  `)).join('');
    return `{\n${lines}${others === undefined ? '' : `${indent}  ${others};\n`}${indent}}`;
  };

  const printTuple = ({ items, required, rest }: TupleNode, indent: string): string => {
    const parts = items.map((item, at) => (at < required ? print(item, indent) : `${operand(item, indent)}?`));
    if (rest !== undefined) parts.push(`...${operand(rest, indent)}[]`);
    return `[${parts.join(', ')}]`;
  };

  const printBare = (node: TypeNode, indent: string): string => {
    switch (node.kind) {
      case 'word':
        return node.text;
      case 'name':
        return node.named.name;
      case 'list':
        return `${node.isReadonly ? 'readonly ' : ''}${operand(node.item, indent)}[]`;
      case 'tuple':
        return `${node.isReadonly ? 'readonly ' : ''}${printTuple(node, indent)}`;
      case 'object':
        return printObject(node, indent);
      case 'union':
        return node.parts.map((part) => operand(part, indent)).join(' | ');
      case 'intersection':
        return node.parts.map((part) => operand(part, indent)).join(' & ');
    }
  };

  const print = (node: TypeNode, indent: string): string => {
    const cut = cuts.get(node);
    const note = cut ?? node.note;
    const text = cut === undefined ? printBare(node, indent) : 'unknown';
    if (note === undefined) return text;
    notes++;
    return `${text} /* ${note} */`;
  };

  return {
    print,
    get notes() {
      return notes;
    },
  };
}
