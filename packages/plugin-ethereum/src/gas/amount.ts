import { formatEther } from 'ethers';

/** An amount for people: in wei and in the display unit. */
export function amountOf(wei: bigint): string {
  return `${wei} wei (${formatEther(wei)} ether)`;
}
