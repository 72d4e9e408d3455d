export { isReservedAddress } from '../../sdk/src/auth/reserved-address.ts';
