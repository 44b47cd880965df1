// Colors and shapes.

const palettes = {
  light: {text: "#1b1f24", soft: "#57606a", grid: "#e4e8ec", envelope: "#e3e9f0", usual: "#dfe4ea", mark: "#7a5200", interval: "#fbe3d0",
    lines: ["#0b62c4", "#b3440e", "#0f7a4f", "#8a3ab9", "#a8004f", "#5c6b00", "#006d7a", "#7a4b2a"]},
  dark: {text: "#e6edf3", soft: "#9aa7b4", grid: "#252d37", envelope: "#232c38", usual: "#29323e", mark: "#f0c674", interval: "#4a3220",
    lines: ["#6db3ff", "#ff9e64", "#5fd49a", "#d19bff", "#ff86b3", "#cdd04d", "#5fd3e0", "#d8a884"]},
};
const darkness = matchMedia("(prefers-color-scheme: dark)");
let printing = false, colors;
// The theme is the one that the user chose, or that of the system. A browser may refuse to keep it.
let theme = "";
try { theme = localStorage.getItem("perfdata-theme") || ""; } catch { /* a file, or private */ }
const darkRule = [...document.styleSheets[0].cssRules].find(rule => rule.media?.mediaText.includes("scheme"));
let isDark;
function setColors() {
  isDark = theme ? theme === "dark" : darkness.matches;
  colors = palettes[isDark && !printing ? "dark" : "light"];
  darkRule.media.mediaText = isDark ? "screen" : "not all";
  byID("theme").textContent = isDark ? "Light theme" : "Dark theme";
}
function switchTheme() {
  theme = isDark ? "light" : "dark";
  try { localStorage.setItem("perfdata-theme", theme); } catch { /* it lasts until the page is closed */ }
}
const lineColor = place => colors.lines[place % colors.lines.length];
const dashes = place => place < colors.lines.length ? undefined : [6, 4];
function swatch(place) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [k, v] of [["width", 14], ["height", 10], ["aria-hidden", "true"], ["class", "swatch"]]) svg.setAttribute(k, v);
  line.setAttribute("d", "M0 5H14");
  line.setAttribute("stroke-width", place < 0 ? 1 : 4);
  line.setAttribute("stroke", place < 0 ? colors.soft : lineColor(place));
  if (place < 0) line.setAttribute("stroke-dasharray", "1 3");
  else if (dashes(place)) line.setAttribute("stroke-dasharray", "5 3");
  svg.append(line);
  return svg;
}
