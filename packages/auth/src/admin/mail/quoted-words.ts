/**
 * Number of columns of a quoted line. Mail programs wrap longer lines, and the wrapped part would be
 * unmarked.
 */
const width = 72;

/**
 * Quotes a tenant's text within one line of the service's text. Replaces line breaks, quotation marks, and
 * control and format characters (which can reverse or hide text), so that the text cannot end the quotation.
 */
export function quotedLine(words: string, maximum: number): string {
  const plain = readable(words).replaceAll(/["“”„‟«»″〝〞＂❝❞]/gu, "'");
  return `"${cut(plain.replaceAll(/\s+/gu, ' ').trim(), maximum)}"`;
}

/** Quotes a tenant's text as a block in which every line is marked. */
export function quotedBlock(words: string): string {
  const lines = words
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => readable(line).replaceAll(/\s+/gu, ' ').trim())
    // Collapses consecutive empty lines.
    .filter((line, index, all) => line !== '' || all[index - 1] !== '');
  return lines
    .flatMap(wrapped)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Replaces every control and format character with a space. */
function readable(words: string): string {
  return words.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}

/** Shortens a text to a number of code points, so that no character is split. */
function cut(text: string, maximum: number): string {
  const characters = [...text];
  return characters.length <= maximum ? text : `${characters.slice(0, maximum - 1).join('')}…`;
}

function wrapped(line: string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if ([...joined].length <= width) {
      current = joined;
      continue;
    }
    if (current !== '') lines.push(current);
    let rest = [...word];
    while (rest.length > width) {
      lines.push(rest.slice(0, width).join(''));
      rest = rest.slice(width);
    }
    current = rest.join('');
  }
  return [...lines, current];
}
