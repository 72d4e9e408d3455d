import { useInbox } from '../../store/model.ts';

/** How many questions wait. */
export function useWaiting(): number {
  return useInbox().filter(({ status }) => status === 'open').length;
}
