export { type Fault, type ProxiedCall, type RpcProxy, startProxy } from '@ledger-ops/devnet';
