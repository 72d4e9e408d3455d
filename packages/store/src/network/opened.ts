/** Connects for the first time, and closes what could not. */
export async function opened<T extends { open(): Promise<void>; close(): Promise<void> }>(made: T): Promise<T> {
  try {
    await made.open();
    return made;
  } catch (error) {
    await made.close();
    throw error;
  }
}
