import { tokenCode, tokenInterface, tokenSource } from './token.generated.ts';

/** A compiled contract that can be deployed through a template. */
export interface CompiledTemplate {
  name: string;
  /** JSON ABI. */
  interface: string;
  /** Creation code, `0x` hex. */
  code: string;
  /** Solidity. */
  source: string;
}

/**
 * A small token: `constructor(string name, string symbol, uint256 supply)`, `transfer(address,uint256)`,
 * `balanceOf(address)`, and the custom error `InsufficientBalance(address,uint256,uint256)`. `pnpm generate` compiles
 * it from `contracts/Token.sol`.
 */
export const tokenTemplate: Readonly<CompiledTemplate> = Object.freeze({
  name: 'Token',
  interface: tokenInterface,
  code: tokenCode,
  source: tokenSource,
});
