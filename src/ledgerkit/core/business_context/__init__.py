"""Business context: what an assistant should know of the business."""
