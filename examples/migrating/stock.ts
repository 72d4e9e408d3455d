// The data of the shop. It is the same in all three programs.

export const stock = new Map([
  ['chair', 4],
  ['table', 1],
]);

export const HOURS = 'Monday to Friday, 9 to 18';
