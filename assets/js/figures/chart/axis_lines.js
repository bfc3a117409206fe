/** Paints the grid and the axis of a chart's panel. */

/**
 * @param {CanvasRenderingContext2D} brush
 * @param {import("./frame.js").Panel} panel
 * @param {{grid: string, line: string}} colours
 */
export function axisLines(brush, { across, up, box, beside, ticks }, colours) {
  if (beside) return;
  brush.setLineDash([]);
  brush.lineWidth = 1;
  brush.strokeStyle = colours.grid;
  brush.beginPath();
  // on the middle of a pixel, so that a line is one pixel wide
  if (up.layout.showgrid !== false) {
    for (const { at } of ticks.up) {
      brush.moveTo(box.left, Math.round(at) + 0.5);
      brush.lineTo(box.right, Math.round(at) + 0.5);
    }
  }
  if (across.layout.showgrid !== false) {
    for (const { at } of ticks.across) {
      brush.moveTo(Math.round(at) + 0.5, box.top);
      brush.lineTo(Math.round(at) + 0.5, box.bottom);
    }
  }
  brush.stroke();
  brush.strokeStyle = colours.line;
  brush.beginPath();
  brush.moveTo(box.left, Math.round(box.bottom) + 0.5);
  brush.lineTo(box.right, Math.round(box.bottom) + 0.5);
  brush.stroke();
}
