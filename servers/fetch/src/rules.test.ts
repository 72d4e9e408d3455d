import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowed, rulesIn } from './rules.ts';
import { withinCpuMs } from '../../../scripts/lib/cpu-time.ts';

const AGENT = 'TenonFetch/0.1 (Autonomous)';
function allows(lines: readonly string[], path: string): boolean {
  return isAllowed(rulesIn(lines.join('\n'), AGENT), `http://localhost${path}`);
}
function everybody(...lines: string[]): string[] {
  return ['User-agent: *', ...lines];
}

test('patterns match as specified in RFC 9309', () => {
  for (const [pattern, path, fits] of [
    ['/', '/a', true],
    ['/a', '/ab', true],
    ['/a$', '/ab', false],
    ['/a$', '/a', true],
    ['/*.php', '/index.php?x', true],
    ['/*.php$', '/index.php?x', false],
    ['/*.php$', '/a.php.php', true],
    ['/a*a$', '/a', false],
    ['/**b***c', '/abac', true],
    ['*/b', '/a/b', true],
    ['/%7euser', '/%7Euser', true],
    ['/tea/ä', '/tea/%C3%A4', true],
    ['/a$b', '/a$b', true],
  ] as const)
    assert.equal(allows(everybody(`Disallow: ${pattern}`), path), !fits, `${pattern} ${path}`);
});

test('the longest rule wins, and of two equally long ones the one that allows', () => {
  assert.equal(allows(everybody('Disallow: /a', 'Allow: /a/b'), '/a/b/c'), true);
  assert.equal(allows(everybody('Allow: /a/b', 'Disallow: /a/b/c'), '/a/b/c'), false);
  assert.equal(allows(everybody('Disallow: /a', 'Allow: /a'), '/a'), true);
  assert.equal(allows(everybody('Disallow:'), '/a'), true);
});

test('rules for this user agent take precedence over those for *, wherever they are', () => {
  const lines = ['User-agent: tenonfetch', 'Disallow: /a # us', '', ...everybody('Disallow: /b'), ''];
  const more = ['USER-AGENT: TenonFetch/9', 'User-agent: Other', 'Sitemap: /map', 'Disallow: /c', ''];
  for (const [path, allowed] of [
    ['/a', false],
    ['/b', true],
    ['/c', false],
  ] as const)
    assert.equal(allows([...lines, ...more], path), allowed, path);
  assert.equal(allows(['User-agent: Other', 'Disallow: /', ...everybody('Crawl-delay: 5')], '/a'), true);
});

test('a pattern of many wildcards is matched quickly', () => {
  const path = `/${'a'.repeat(3_900)}`;
  const size = 500 * 1_024;
  for (const line of [`Disallow: /${'*a'.repeat(2_000)}b`, `Disallow: *${'a'.repeat(2_000)}b`, 'Disallow: *aaab']) {
    const lines = Array.from({ length: Math.floor(size / line.length) }, () => line);
    const isAllowed = withinCpuMs(1_500, () => allows(everybody(...lines), path), line.slice(0, 20));
    assert.equal(isAllowed, true);
  }
});

test('the rules and user agents of a robots.txt are limited in number', () => {
  const agents = Array.from({ length: 20_000 }, (_, index) => `User-agent: a${index}`);
  const rules = Array.from({ length: 20_000 }, (_, index) => `Disallow: /${index}$`);
  const kept = rulesIn([...agents, 'User-agent: *', ...rules].join('\n'), AGENT);
  assert.equal(kept.length, 10_000);
});

test('lines longer than any URL are ignored', () => {
  assert.equal(rulesIn(everybody(`Disallow: /${'a'.repeat(5_000)}`, 'Disallow: /b').join('\n'), AGENT).length, 1);
});
