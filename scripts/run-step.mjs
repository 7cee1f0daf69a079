// Requires only Node ≥ 18.
import { spawn } from 'node:child_process';

/** Milliseconds between progress lines, on an output that cannot redraw a line. */
const lineInterval = 10_000;

/**
 * Runs a program, and shows its activity and elapsed time on standard error: a terminal shows one line that is redrawn,
 * other outputs get a line every ten seconds. The program's output is printed only if it fails.
 *
 * @param hint how long the step takes, for example `about a minute the first time`
 * @param detailOf returns the activity that a line of the program's output reports; undefined for other lines
 * @returns the program's exit code
 */
export async function runStep({ title, hint, program, args, detailOf, options }) {
  const begun = Date.now();
  const elapsed = () => `${Math.round((Date.now() - begun) / 1_000)} s`;
  const isDrawn = process.stderr.isTTY === true && process.stderr.hasColors();
  let detail = hint;
  const draw = () => {
    const line = `${title} · ${elapsed()} · ${detail}`;
    // One column stays free, because some terminals wrap after the last one.
    const width = (process.stderr.columns ?? 80) - 1;
    process.stderr.write(isDrawn ? `\r\u001B[K${line.slice(0, width)}` : `${line}\n`);
  };
  if (isDrawn) draw();
  else process.stderr.write(`${title} (${hint}) …\n`);
  const timer = setInterval(draw, isDrawn ? 1_000 : lineInterval);
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => {
      output.push(text);
      for (const line of text.split('\n')) detail = detailOf(line) ?? detail;
    });
  }
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output.push(`${program} cannot be started: ${error.message}\n`);
      resolve(1);
    });
    child.once('close', (status) => resolve(status ?? 1));
  });
  clearInterval(timer);
  if (isDrawn) process.stderr.write('\r\u001B[K');
  process.stderr.write(`${title}: ${code === 0 ? 'done' : 'failed'} in ${elapsed()}\n`);
  if (code !== 0) process.stderr.write(output.join(''));
  return code;
}
