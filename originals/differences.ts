// How two answers differ.

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The places where our answer says something else than the original, or lacks a field of it. Fields that only ours has are no difference.
 *
 * @param leftOut names of fields of the original that ours may lack
 */
export function differences(
  ours: unknown,
  original: unknown,
  leftOut: RegExp | undefined,
  at = '$',
): readonly string[] {
  if (Array.isArray(ours) && Array.isArray(original)) {
    if (ours.length !== original.length) return [`${at}: ${ours.length} items, original: ${original.length}`];
    return ours.flatMap((item, index) => differences(item, original[index], leftOut, `${at}[${index}]`));
  }
  if (isObject(ours) && isObject(original)) {
    const names = Object.keys(original);
    if (names.length > 0 && !names.some((name) => Object.hasOwn(ours, name))) return [`${at}: no common field`];
    return Object.entries(original).flatMap(([name, value]) => {
      if (Object.hasOwn(ours, name)) return differences(ours[name], value, leftOut, `${at}.${name}`);
      return value === undefined || leftOut?.test(name) === true ? [] : [`${at}.${name}: only in the original`];
    });
  }
  return Object.is(ours, original) ? [] : [`${at}: ${JSON.stringify(ours)}, original: ${JSON.stringify(original)}`];
}
