export { keyInUse } from '@ledger-ops/store';
