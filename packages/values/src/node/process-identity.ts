export { isAlive, pidNamespace } from '../../../sdk/src/store/node/process-identity.ts';
