/** Whether a UTF-16 code unit is a decimal digit. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Returns the number of characters of the JSON escape at a position; 0 if there is none. */
export function escapeLength(text: string, at: number): number {
  switch (text.charCodeAt(at + 1)) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2;
    case 0x75:
      for (let digit = at + 2; digit < at + 6; digit += 1) {
        if (!isHex(text.charCodeAt(digit))) return 0;
      }
      return 6;
    default:
      return 0;
  }
}

function isHex(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}
