import { formatEther } from 'ethers';

/** Formats an amount for users: in wei and in the display unit. */
export function amountOf(wei: bigint): string {
  return `${wei} wei (${formatEther(wei)} ether)`;
}
