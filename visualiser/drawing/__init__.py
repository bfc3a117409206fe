"""What several figures are made of: panels, axes, colours, curves and boxes, and the statistics that they show."""
