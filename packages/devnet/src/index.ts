export { type Anvil, type AnvilOptions, type DevAccount, startAnvil } from './anvil.ts';
export { type AnvilCommand, findAnvil } from './anvil-binary.ts';
export { DevnetError } from './error.ts';
export { type CompiledTemplate, tokenTemplate } from './token.ts';
