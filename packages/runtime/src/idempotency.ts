export { keyInUse, recordAnswer } from '@ledger-ops/store';
