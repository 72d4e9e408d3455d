import { useInbox } from '../../store/model.ts';

/** How many questions wait. */
export const useWaiting = (): number => useInbox().filter(({ status }) => status === 'open').length;
