// Months as people write them in a URI: June-2024.

const NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** "June-2024" as "2024-06", or undefined if it is not a month. */
export function monthOf(text: string): string | undefined {
  const [, name = '', year] = /^([A-Za-z]+)-(\d{4})$/.exec(text) ?? [];
  const index = NAMES.findIndex((one) => one.toLowerCase() === name.toLowerCase());
  return index === -1 ? undefined : `${year}-${String(index + 1).padStart(2, '0')}`;
}

/** "2024-06", or a day of it, as "June-2024". */
export function monthNamed(date: string): string {
  return `${NAMES[Number(date.slice(5, 7)) - 1]}-${date.slice(0, 4)}`;
}
